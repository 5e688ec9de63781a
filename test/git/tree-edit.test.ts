import assert from 'node:assert/strict';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { MissingObject } from '../../lib/git/objects/objects.js';
import type { Oid } from '../../lib/git/objects/objects.js';
import { editTree } from '../../lib/git/objects/tree-edit.js';
import type { TreeEdit } from '../../lib/git/objects/tree-edit.js';
import { Tree } from '../../lib/git/objects/tree.js';
import type { TreeEntry } from '../../lib/git/objects/tree.js';
import { TemporaryFolders, git } from '../support/git/fixture.js';

const one: TreeEntry = { mode: '100644', oid: '1'.repeat(40) };
const two: TreeEntry = { mode: '100644', oid: '2'.repeat(40) };

describe('editing a tree', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  const segment = fc.constantFrom('a', 'a.b', 'a-b', 'a b', 'a0', '100644 x', 'é', 'b');
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const entry = fc.record(
    {
      mode: fc.constantFrom('100644' as const, '100755' as const, '120000' as const),
      oid: fc.stringMatching(/^[1-9a-f]{40}$/),
    },
    { noNullPrototype: true },
  );
  const batches = fc.array(fc.array(fc.tuple(path, fc.option(entry, { freq: 3 })), { maxLength: 12 }), {
    minLength: 1,
    maxLength: 5,
  });

  it('gives the tree that git writes for the same files', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', '.']);
    fc.assert(
      fc.property(batches, (all) => {
        const model = new Map<string, TreeEntry>();
        const trees = new Trees();
        let root: Oid | null = null;
        for (const batch of all) root = trees.apply(root, applyToModel(model, batch));
        assert.equal(root, writeWithGit(folder, model));
      }),
      { numRuns: 40 },
    );
  }).timeout(60_000);

  it('keeps exactly the files of a map, and creates no unneeded tree', () => {
    fc.assert(
      fc.property(batches, (all) => {
        const model = new Map<string, TreeEntry>();
        const trees = new Trees();
        let root: Oid | null = null;
        for (const batch of all) {
          const before: Oid | null = root;
          const result: ReturnType<typeof editTree> = editTree(root, applyToModel(model, batch), trees.load);
          root = result.root;
          for (const tree of result.created) {
            assert.notEqual(before, result.root, 'a tree was made though nothing changed');
            trees.set(tree.oid, tree);
          }
          assert.deepEqual(trees.files(root), new Map(model));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('makes a folder once, however many edits fall into it', () => {
    const edits = Array.from({ length: 5000 }, (_, i) => ({ path: ['wide', `document-${i}`], entry: one }));
    const { created } = editTree(null, edits, () => assert.fail('nothing is there to load'));
    assert.deepEqual(
      created.map(({ size }) => size),
      [5000, 1],
    );
  });

  it('lets folders vanish when they become empty, up to the root', () => {
    const trees = new Trees();
    const root = trees.edit(null, { 'a/b/c': one, 'a/b/d': one, e: one });
    const less = trees.edit(root, { 'a/b/c': null, 'a/b/d': null });
    assert.deepEqual([...trees.files(less).keys()], ['e']);
    assert.equal(trees.load(less).size, 1);
    const { root: none, created } = editTree(less, [{ path: ['e'], entry: null }], trees.load);
    assert.equal(none, Tree.empty.oid);
    assert.deepEqual(created, [Tree.empty], 'the empty tree has to be stored too');
  });

  it('editing a tree down to nothing returns the empty tree', () => {
    const { root, created } = editTree(null, [], () => assert.fail());
    assert.equal(root, Tree.empty.oid);
    assert.equal(created.length, 1);
    assert.deepEqual(
      editTree(root, [], () => assert.fail()),
      { root, created: [] },
    );
  });

  it('moves a whole folder without opening it', () => {
    const trees = new Trees();
    const root = trees.edit(null, { 'from/x/1': one, 'from/x/2': two, 'other/3': one });
    const moved = trees.load(trees.load(root).entry('from')!.oid).entry('x')!;
    trees.loaded = 0;
    const after = trees.edit(root, { 'from/x': null, 'to/deep/y': moved });
    assert.equal(trees.loaded, 2, 'the root and "from"');
    assert.deepEqual([...trees.files(after).keys()].sort(), ['other/3', 'to/deep/y/1', 'to/deep/y/2']);
  });

  it('applies edits below a folder that the same batch puts there, in any order', () => {
    const trees = new Trees();
    const root = trees.edit(null, { 'x/1': one, 'x/2': one });
    const moved = trees.load(root).entry('x')!;
    const expected = ['y/2', 'y/3'];
    const edits = { x: null, y: moved, 'y/1': null, 'y/3': two };
    assert.deepEqual([...trees.files(trees.edit(root, edits)).keys()], expected);
    const backwards = Object.fromEntries(Object.entries(edits).reverse());
    assert.deepEqual([...trees.files(trees.edit(root, backwards)).keys()], expected);
  });

  it('puts nothing below a file, unless the same batch removes the file', () => {
    const trees = new Trees();
    const root = trees.edit(null, { a: one });
    assert.throws(() => trees.edit(root, { 'a/b': two }), /a is a file/);
    assert.equal(trees.edit(root, { 'a/b': null }), root);
    assert.deepEqual([...trees.files(trees.edit(root, { a: null, 'a/b': two })).keys()], ['a/b']);
  });

  it('applies the last of two edits of one path', () => {
    const trees = new Trees();
    const root = trees.apply(null, [
      { path: ['a'], entry: one },
      { path: ['a'], entry: two },
    ]);
    assert.deepEqual(trees.load(root).entry('a'), two);
  });

  it('creates nothing without a change', () => {
    const trees = new Trees();
    const root = trees.edit(null, { 'a/b': one });
    const edits = [
      { path: ['a', 'b'], entry: one },
      { path: ['a', 'x', 'y'], entry: null },
    ];
    assert.deepEqual(editTree(root, edits, trees.load), { root, created: [] });
  });

  it('names the tree to load first', () => {
    const trees = new Trees();
    const root = trees.edit(null, { 'a/b/c': one });
    const missing = trees.load(root).entry('a')!.oid;
    trees.delete(missing);
    assert.throws(
      () => editTree(root, [{ path: ['a', 'b', 'd'], entry: two }], trees.load),
      (error) => error instanceof MissingObject && error.oid === missing,
    );
  });

  it('edits as deep as a location can be', () => {
    const trees = new Trees();
    const deep = Array.from({ length: 512 }, () => 'a');
    const root = trees.apply(null, [{ path: deep, entry: one }]);
    assert.equal([...trees.files(root).keys()][0]?.length, 1023);
    assert.equal(trees.apply(root, [{ path: deep, entry: null }]), Tree.empty.oid);
  });

  /** The same files through git's index. */
  function writeWithGit(folder: string, files: ReadonlyMap<string, TreeEntry>): string {
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index'), GIT_DIR: folder };
    const run = (parameters: string[], input: string): string => {
      const { status, stdout, stderr } = spawnSync('git', parameters, { env, input, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      return stdout.trim();
    };
    run(['read-tree', '--empty'], '');
    const lines = [...files].map(([path, { mode, oid }]) => `${mode} ${oid}\t${path}\0`);
    run(['update-index', '-z', '--index-info'], lines.join(''));
    return run(['write-tree', '--missing-ok'], '');
  }

  /** Makes the possible edits in the model, without contradictions (a file below a file), and returns them. */
  function applyToModel(
    model: Map<string, TreeEntry>,
    batch: readonly (readonly [string, TreeEntry | null])[],
  ): TreeEdit[] {
    const done: TreeEdit[] = [];
    for (const [each, value] of batch) {
      const names = each.split('/');
      const isBelowAFile = names.some((_, i) => i > 0 && model.has(names.slice(0, i).join('/')));
      const isAFolder = [...model.keys()].some((other) => other.startsWith(`${each}/`));
      if (isBelowAFile || isAFolder) continue;
      if (value === null) model.delete(each);
      else model.set(each, value);
      done.push({ path: names, entry: value });
    }
    return done;
  }
});

/** The trees made so far, to load from. */
class Trees extends Map<Oid, Tree> {
  loaded = 0;

  readonly load = (oid: Oid): Tree => {
    this.loaded += 1;
    const tree = this.get(oid);
    if (tree === undefined) throw new MissingObject(oid);
    return tree;
  };

  edit(root: Oid | null, edits: Record<string, TreeEntry | null>): Oid {
    return this.apply(
      root,
      Object.entries(edits).map(([path, entry]) => ({ path: path.split('/'), entry })),
    );
  }

  apply(root: Oid | null, edits: readonly TreeEdit[]): Oid {
    const result = editTree(root, edits, this.load);
    for (const tree of result.created) this.set(tree.oid, tree);
    return result.root;
  }

  /** Every file below a root, by its path. */
  files(root: Oid, prefix = ''): Map<string, TreeEntry> {
    const found = new Map<string, TreeEntry>();
    const tree = root === Tree.empty.oid ? Tree.empty : this.load(root);
    for (const { name, mode, oid } of tree.entries()) {
      const path = prefix + name;
      if (mode === '40000') for (const [file, entry] of this.files(oid, `${path}/`)) found.set(file, entry);
      else found.set(path, { mode, oid });
    }
    return found;
  }
}
