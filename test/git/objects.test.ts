import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { RepositoryUnreadable } from '../../lib/git/errors.js';
import {
  MissingObject,
  decodeCommit,
  encodeCommit,
  hashObject,
  inflateObject,
  makePackable,
} from '../../lib/git/objects/objects.js';
import type { Commit } from '../../lib/git/objects/objects.js';
import { Tree } from '../../lib/git/objects/tree.js';
import { TemporaryFolders, fsck, git } from '../support/git/fixture.js';

describe('git objects', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  it('have the names that git gives them', async () => {
    const folder = await folders.make();
    for (const text of ['', 'a', 'two\nlines\n', 'é\0ü', 'x'.repeat(100_000)]) {
      const named = git(folder, ['hash-object', '--stdin'], text).toString().trim();
      assert.equal(hashObject('blob', Buffer.from(text)), named);
    }
    assert.equal(Tree.empty.oid, git(folder, ['hash-object', '-t', 'tree', '--stdin'], '').toString().trim());
  });

  it('come back from their packed form, at any level', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 0, max: 9 }), (bytes, level) => {
        const object = makePackable('blob', bytes, level);
        assert.equal(object.size, bytes.length);
        assert.equal(object.oid, hashObject('blob', bytes));
        assert.deepEqual(inflateObject(object), Buffer.from(bytes));
      }),
      { numRuns: 50 },
    );
  });

  it('do not hold a larger block of memory than they need', () => {
    const object = makePackable('blob', Buffer.alloc(100_000));
    assert.ok(object.deflated.buffer.byteLength <= 8192, 'a slice of the 16 kB zlib works in');
  });

  it('are refused when the packed form is damaged, cut short, or of another length', () => {
    const object = makePackable('blob', Buffer.from('some words that are stored'));
    const damaged = Buffer.from(object.deflated);
    damaged[damaged.length - 1]! ^= 1;
    for (const bad of [
      { ...object, deflated: damaged },
      { ...object, deflated: object.deflated.subarray(0, -6) },
      { ...object, size: object.size - 1 },
      { ...object, size: object.size + 1 },
    ])
      assert.throws(() => inflateObject(bad), RepositoryUnreadable);
  });

  it('name the missing object in the error', () => {
    assert.equal(new MissingObject('a'.repeat(40)).oid, 'a'.repeat(40));
  });
});

describe('a commit object', () => {
  const folders = new TemporaryFolders();
  after(() => folders.remove());

  const plain: Commit = {
    tree: Tree.empty.oid,
    parents: [],
    author: { name: 'Ada', email: 'ada@acme', seconds: 1_700_000_000 },
    committer: { name: 'Cartulary', email: 'p-1@acme', seconds: 1_700_000_001 },
    message: 'A title\n\nA body.\n\nOperation: write\n',
  };

  it('is the one that git itself writes', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', '.']);
    git(folder, ['hash-object', '-w', '-t', 'tree', '--stdin'], '');
    git(folder, ['hash-object', '-w', '-t', 'commit', '--stdin'], encodeCommit(plain));
    const read = git(folder, [
      'log',
      '-1',
      '--format=%T|%an|%ae|%at|%cn|%ce|%ct|%ai|%B',
      hashObject('commit', encodeCommit(plain)),
    ]);
    assert.equal(
      read.toString(),
      `${plain.tree}|Ada|ada@acme|1700000000|Cartulary|p-1@acme|1700000001|2023-11-14 22:13:20 +0000|${plain.message}\n`,
    );
  });

  it('passes a strict git fsck with any names, emails and messages', async () => {
    const folder = await folders.make();
    git(folder, ['init', '-q', '--bare', '.']);
    git(folder, ['hash-object', '-w', '-t', 'tree', '--stdin'], '');
    const nasty = ['', ' ', '<', 'a <b> c', 'x\ncommitter y', 'nul\0nul', '\r', '>>', 'é', '\u2028', '\ud800', '0'];
    for (const name of nasty)
      for (const email of nasty) {
        const signature = { name, email, seconds: 0 };
        const commit = { ...plain, author: signature, committer: signature, message: name + email };
        git(folder, ['hash-object', '-w', '--literally', '-t', 'commit', '--stdin'], encodeCommit(commit));
      }
    assert.equal(fsck(folder), '');
  }).timeout(30_000);

  it('gives back its parts when it is read again', () => {
    const oid = fc.stringMatching(/^[0-9a-f]{40}$/);
    const signature = fc.record(
      {
        name: fc.stringMatching(/^[A-Za-zé.-]{1,9}( [A-Za-z]{1,9})?$/),
        email: fc.stringMatching(/^[a-z0-9@.-]{1,20}$/),
        seconds: fc.nat(),
      },
      { noNullPrototype: true },
    );
    const commit = fc.record(
      {
        tree: oid,
        parents: fc.array(oid, { maxLength: 3 }),
        author: signature,
        committer: signature,
        message: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', '')),
      },
      { noNullPrototype: true },
    );
    fc.assert(fc.property(commit, (made) => assert.deepEqual(decodeCommit(encodeCommit(made)), made)));
  });

  it('may carry unknown headers, and a zone without effect on the time', () => {
    const text = [
      `tree ${plain.tree}`,
      `parent ${'1'.repeat(40)}`,
      'author Ada <ada@acme> 1700000000 +0530',
      'committer Ada <ada@acme> 1700000000 -0800',
      'gpgsig -----BEGIN',
      ' tree of lines',
      ' -----END',
      '',
      'signed',
    ].join('\n');
    const commit = decodeCommit(Buffer.from(text));
    assert.equal(commit.author.seconds, 1_700_000_000);
    assert.deepEqual(commit.parents, ['1'.repeat(40)]);
    assert.equal(commit.tree, plain.tree);
    assert.equal(commit.message, 'signed');
  });

  it('is refused when its bytes are those of another kind', () => {
    for (const text of ['', 'hello', `tree ${plain.tree}\n\nx`, `tree ${plain.tree}\nauthor x\ncommitter y\n\nz`])
      assert.throws(() => decodeCommit(Buffer.from(text)), RepositoryUnreadable);
  });
});
