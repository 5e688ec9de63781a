import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { RepositoryUnreadable } from '../../lib/git/errors.js';
import { hashObject, inflateObject } from '../../lib/git/objects/objects.js';
import { Tree, packTree, treeLevel } from '../../lib/git/objects/tree.js';
import type { TreeEntry, TreeMode } from '../../lib/git/objects/tree.js';
import { TemporaryFolders, git } from '../support/git/fixture.js';

/** Names whose order or bytes a careless tree would get wrong. */
export const trickyNames = [
  'a',
  'a.b',
  'a-b',
  'a b',
  'a0',
  'aa',
  'A',
  '100644 x',
  '40000 a',
  ' ',
  '.keep',
  'é',
  'e\u0301',
  '日本',
  '😀',
  '\ufffd',
  'x\ny',
];

const name = fc.oneof(
  fc.constantFrom(...trickyNames),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    .filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..'),
);
const oid = fc.stringMatching(/^[0-9a-f]{40}$/);
const mode = fc.constantFrom<TreeMode>('100644', '100755', '120000', '40000', '160000');
const entry: fc.Arbitrary<TreeEntry> = fc.record({ mode, oid }, { noNullPrototype: true });

describe('a tree', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  it('is the one that git makes of the same entries', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', '.']);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, entry), { maxLength: 30 }), (entries) => {
        const tree = Tree.empty.withAll(entries);
        assert.equal(tree.oid, makeWithGit(folder, new Map(entries)));
      }),
      { numRuns: 60 },
    );
  }).timeout(30_000);

  it('behaves like a map, for any entries set and removed, one by one or together', () => {
    const change = fc.tuple(name, fc.option(entry));
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 12 }), { maxLength: 8 }), (batches) => {
        const model = new Map<string, TreeEntry>();
        let together = Tree.empty;
        let single = Tree.empty;
        for (const batch of batches) {
          for (const [each, value] of batch) {
            if (value === null) model.delete(each);
            else model.set(each, value);
            single = value === null ? single.without(each) : single.with(each, value.mode, value.oid);
          }
          together = together.withAll(batch);
          assert.equal(together.oid, single.oid);
        }
        assert.equal(together.size, model.size);
        for (const each of trickyNames) assert.deepEqual(together.entry(each), model.get(each));
        for (const [each, value] of model) assert.deepEqual(together.entry(each), value);
        const listed = [...together.entries()].map(({ name, mode, oid }) => [name, { mode, oid }] as const);
        assert.deepEqual(new Map(listed), model);
        const parsed = Tree.parse(together.bytes);
        assert.equal(parsed.oid, together.oid);
        for (const [each, value] of model) assert.deepEqual(parsed.entry(each), value);
      }),
      { numRuns: 300 },
    );
  });

  it('stays as it is when another one is made of it', () => {
    const one = Tree.empty.with('a', '100644', '1'.repeat(40));
    const before = Buffer.from(one.bytes);
    one.with('a', '100755', '2'.repeat(40));
    one.with('a', '40000', '2'.repeat(40));
    one.with('b', '100644', '2'.repeat(40));
    one.without('a');
    assert.deepEqual(one.bytes, before);
    assert.deepEqual(one.entry('a'), { mode: '100644', oid: '1'.repeat(40) });
    assert.equal(one.without('b'), one);
  });

  it('orders a folder as if its name ended in a slash', () => {
    const tree = Tree.empty
      .with('a', '40000', '1'.repeat(40))
      .with('a-b', '100644', '2'.repeat(40))
      .with('a.b', '100644', '3'.repeat(40))
      .with('a0', '100644', '4'.repeat(40));
    assert.deepEqual(
      [...tree.entries()].map(({ name }) => name),
      ['a-b', 'a.b', 'a', 'a0'],
    );
    assert.deepEqual(
      [...tree.with('a', '100644', '5'.repeat(40)).entries()].map(({ name }) => name),
      ['a', 'a-b', 'a.b', 'a0'],
    );
  });

  it('reads the modes that old programs wrote', () => {
    const bytes = Buffer.concat([
      Buffer.from('100664 f\0'),
      Buffer.alloc(20, 1),
      Buffer.from('040000 g\0'),
      Buffer.alloc(20, 2),
    ]);
    const tree = Tree.parse(bytes);
    assert.equal(tree.entry('f')?.mode, '100644');
    assert.equal(tree.entry('g')?.mode, '40000');
    assert.equal(tree.with('g', '40000', '3'.repeat(40)).entry('g')?.oid, '3'.repeat(40));
  });

  it('is refused when its bytes are no tree, or out of order', () => {
    const good = Tree.empty.with('a', '100644', '1'.repeat(40)).with('b', '100644', '2'.repeat(40)).bytes;
    const half = good.length / 2;
    const swapped = Buffer.concat([good.subarray(half), good.subarray(0, half)]);
    const twice = Buffer.concat([good.subarray(0, half), good.subarray(0, half)]);
    for (const bytes of [
      good.subarray(0, -1),
      good.subarray(1),
      swapped,
      twice,
      Buffer.from('100644 \0'.padEnd(30, 'x')),
      Buffer.from('hello'),
    ])
      assert.throws(() => Tree.parse(bytes), RepositoryUnreadable);
  });

  it('takes no name that git could not hold, and no invalid oid', () => {
    for (const bad of ['', '.', '..', 'a/b', 'a\0b'])
      assert.throws(() => Tree.empty.with(bad, '100644', '1'.repeat(40)), TypeError);
    for (const bad of ['', '1'.repeat(39), '1'.repeat(41), 'g'.repeat(40)])
      assert.throws(() => Tree.empty.with('a', '100644', bad), TypeError);
  });

  it('is packed without compression when it is wide', () => {
    const wide = Tree.empty.withAll(
      Array.from({ length: 2000 }, (_, i) => [`document-${i}`, { mode: '100644', oid: '1'.repeat(40) }] as const),
    );
    assert.equal(treeLevel(wide), 0);
    assert.equal(treeLevel(wide.withAll([...wide.entries()].slice(10).map(({ name }) => [name, null]))), 1);
    const packed = packTree(wide);
    assert.ok(packed.deflated.length > packed.size);
    assert.deepEqual(inflateObject(packed), wide.bytes);
    assert.equal(packed.oid, hashObject('tree', wide.bytes));
  });

  function makeWithGit(folder: string, model: ReadonlyMap<string, TreeEntry>): string {
    const lines = [...model].map(([each, { mode, oid }]) => {
      const type = mode === '40000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';
      return `${mode.padStart(6, '0')} ${type} ${oid}\t${each}\0`;
    });
    return git(folder, ['mktree', '-z', '--missing'], lines.join('')).toString().trim();
  }
});
