import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeDelta } from '../../lib/git/objects/delta.js';
import type { Oid } from '../../lib/git/objects/objects.js';
import { openHistoryPacker } from '../../lib/git/repositories/open-read-only.js';
import { Tree } from '../../lib/git/objects/tree.js';
import { git, makeCommit, TemporaryFolders } from '../support/git/fixture.js';

describe('packs of a history', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  for (const [what, makesDeltas] of [
    ['with deltas', true],
    ['without', false],
  ] as const) {
    it(`${what} give git every tree and commit that went in`, async () => {
      const path = await emptyRepository();
      const packer = openHistoryPacker(path, makesDeltas);
      const roots = makeHistory(120, 130);
      // Wide enough that copying its beginning and its end takes several instructions.
      const wide = makeHistory(5000, 130);
      const commits: Oid[] = [];
      for (const [index, root] of roots.entries()) {
        packer.addTrees([wide[index]!, root]);
        const { objects } = makeCommit({ a: `${index}` });
        const commit = objects.at(-1)!;
        packer.addCommit(commit);
        commits.push(commit.oid);
        if (index === 60) await packer.flush();
      }
      await packer.flush();
      readTrees(path, [...roots, ...wide]);
      const types = git(path, ['cat-file', '--batch-check=%(objecttype)'], `${commits.join('\n')}\n`).toString();
      assert.deepEqual(new Set(types.trim().split('\n')), new Set(['commit']));
      const names = await packFiles(path);
      assert.equal(names.length, 2);
      for (const name of names) git(path, ['verify-pack', join('objects', 'pack', name)]);
    });
  }

  it('hold the changes instead of each tree again, in chains no longer than git makes them', async () => {
    const path = await emptyRepository();
    const packer = openHistoryPacker(path, true);
    for (const tree of makeHistory(1000, 200)) packer.addTrees([tree]);
    await packer.flush();
    const [name = ''] = await packFiles(path);
    const verified = git(path, ['verify-pack', '-v', join('objects', 'pack', name)]).toString();
    const chains = [...verified.matchAll(/^chain length = (\d+): (\d+) object/gm)];
    assert.equal(Math.max(...chains.map(([, length]) => Number(length))), 50);
    assert.equal(/^non delta: (\d+) object/m.exec(verified)?.[1], '4');
  });

  it('hold a tree once, for all commits with it', async () => {
    const path = await emptyRepository();
    const packer = openHistoryPacker(path, true);
    const [one, two] = makeHistory(100, 2);
    packer.addTrees([one!]);
    packer.addTrees([two!]);
    packer.addTrees([one!]);
    await packer.flush();
    const [name = ''] = await packFiles(path);
    const index = git(path, ['verify-pack', '-v', join('objects', 'pack', name)]).toString();
    assert.equal(index.match(/^[0-9a-f]{40} tree/gm)?.length, 2);
  });

  it('write nothing where there is nothing', async () => {
    const path = await emptyRepository();
    for (const makesDeltas of [true, false]) await openHistoryPacker(path, makesDeltas).flush();
    assert.deepEqual(await packFiles(path), []);
  });

  const packFiles = async (path: string): Promise<string[]> =>
    (await readdir(join(path, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));

  async function emptyRepository(): Promise<string> {
    const path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    return path;
  }

  function readTrees(path: string, trees: readonly Tree[]): void {
    const said = git(path, ['cat-file', '--batch'], trees.map(({ oid }) => `${oid}\n`).join(''));
    let at = 0;
    for (const { oid, bytes } of trees) {
      const line = `${oid} tree ${bytes.length}\n`;
      assert.equal(said.toString('latin1', at, at + line.length), line);
      assert.ok(said.subarray(at + line.length, at + line.length + bytes.length).equals(bytes));
      at += line.length + bytes.length + 1;
    }
  }
});

describe('a delta', () => {
  it('is not made where it would save little, or where it does not fit', () => {
    const tree = makeTree(50).bytes;
    const into = new Uint8Array(65_535);
    assert.equal(encodeDelta(Buffer.alloc(tree.length), tree, into), undefined);
    assert.equal(encodeDelta(tree, makeTree(51).bytes, new Uint8Array(20)), undefined);
    assert.notEqual(encodeDelta(tree, makeTree(51).bytes, into), undefined);
  });
});

const oidOf = (text: string): Oid => createHash('sha1').update(text).digest('hex');

function makeTree(entries: number): Tree {
  return Tree.empty.withAll(
    Array.from({ length: entries }, (_, index) => [
      `document-${index}.md`,
      { mode: '100644', oid: oidOf(`${index}`) } as const,
    ]),
  );
}

/** A listing as it is after each of so many writes to one of its files. */
function makeHistory(entries: number, writes: number): Tree[] {
  const trees = [makeTree(entries)];
  for (let write = 1; write < writes; write++) {
    trees.push(trees.at(-1)!.with(`document-${(write * 7919) % entries}.md`, '100644', oidOf(`write ${write}`)));
  }
  return trees;
}
