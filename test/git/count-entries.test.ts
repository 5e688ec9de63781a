import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { TooDeep, EntryCount } from '../../lib/git/sources/count-tree-entries.js';

describe('the count of entries below a folder', () => {
  it('finds few changes in a large folder, however small the bound is', async () => {
    const trees = new Trees();
    const before = trees.put(files(0, 500));
    const changes: readonly (readonly [string, Folder, number])[] = [
      ['the first ones are gone', files(3, 500), 3],
      ['some come first', { a: '1', b: '2', ...files(0, 500) }, 2],
      ['one in the middle is another', { ...files(0, 500), f1250: 'y' }, 2],
      ['the last one is another', { ...files(0, 500), f1499: 'y' }, 2],
      ['nothing is another', files(0, 500), 0],
    ];
    for (const [what, folder, expected] of changes) {
      for (const most of [3, 10, 499, 500, 10_000]) {
        assert.equal(await trees.count(most).changed(before, trees.put(folder)), expected, `${what}, at most ${most}`);
      }
    }
  });

  it('is exact up to its bound, and above it beyond', async () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const make = (levels: number): Folder =>
      Object.fromEntries(
        Array.from({ length: random(6) }, () => [
          `n${random(6)}`,
          levels > 0 && random(2) === 0 ? make(levels - 1) : `${random(3)}`,
        ]),
      );
    const trees = new Trees();
    for (let round = 0; round < 300; round += 1) {
      const [before, after] = [make(3), make(3)];
      const [old, now] = [trees.put(before), trees.put(after)];
      const most = random(20);
      for (const [is, expected] of [
        [await trees.count(most).below(now), sizeOf(after)],
        [await trees.count(most).changed(old, now), differenceOf(before, after)],
        [await trees.count(most).changed(null, now), sizeOf(after)],
      ] as const) {
        assert.ok(expected <= most ? is === expected : is > most, `${is}, not ${expected}, at most ${most}`);
      }
    }
  });

  it('enters no folder of one that is beyond the bound by itself', async () => {
    const trees = new Trees();
    const wide = (below: Node): Folder => ({ a: below, ...files(0, 50) });
    const deep = trees.put(wide(wide(wide(wide('x')))));
    const before = trees.put({ a: { a: { a: 'x' } } });
    assert.ok((await trees.count(40).below(deep)) > 40);
    assert.deepEqual(trees.reads, [deep]);
    trees.reads.length = 0;
    assert.ok((await trees.count(40).changed(before, deep)) > 40);
    assert.deepEqual(trees.reads, [before, deep]);
  });

  it('refuses what lies too deep in the same words, with any bound', async () => {
    const trees = new Trees();
    let folder: Folder = { x: 'x' };
    for (let level = 0; level < 1005; level += 1) folder = { d: folder };
    const deep = trees.put(folder);
    for (const most of [1006, 1_000_000]) {
      await assert.rejects(trees.count(most).below(deep), (error) => error instanceof TooDeep);
    }
    assert.ok((await trees.count(0).below(deep)) > 0);
  });
});

/** Trees by their names, as a repository has them. */
class Trees {
  readonly #all = new Map<string, Buffer>();
  readonly reads: string[] = [];

  /** @returns the name of its tree */
  put(folder: Folder): string {
    const entries = Object.entries(folder).map(([name, node]) => {
      const isFile = typeof node === 'string';
      const oid = isFile ? createHash('sha1').update(node).digest('hex') : this.put(node);
      return Buffer.concat([Buffer.from(`${isFile ? '100644' : '40000'} ${name}\0`), Buffer.from(oid, 'hex')]);
    });
    const bytes = Buffer.concat(entries);
    const oid = createHash('sha1').update(bytes).digest('hex');
    this.#all.set(oid, bytes);
    return oid;
  }

  count(most: number): EntryCount {
    return new EntryCount(async (oid) => {
      this.reads.push(oid);
      return this.#all.get(oid);
    }, most);
  }
}

const sizeOf = (node: Node | undefined): number =>
  node === undefined || typeof node === 'string'
    ? 0
    : Object.values(node).reduce((sum, each) => sum + 1 + sizeOf(each), 0);

const files = (from: number, upTo: number, content = 'x'): Folder =>
  Object.fromEntries(Array.from({ length: upTo - from }, (_, index) => [`f${1000 + from + index}`, content]));

/** A file by its content, or a folder. */
type Node = string | Folder;

interface Folder {
  readonly [name: string]: Node;
}

/** What differs, counted by walking through both. */
function differenceOf(before: Folder, after: Folder): number {
  let changed = 0;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    if (typeof old === 'object' && typeof now === 'object') changed += 1 + differenceOf(old, now);
    else for (const each of [old, now]) if (each !== undefined) changed += 1 + sizeOf(each);
  }
  return changed;
}
