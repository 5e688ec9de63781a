import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { applyDelta, encodeDelta, encodeReplacement, putStored, storedOverhead } from '../../lib/git/objects/delta.js';
import { RepositoryUnreadable } from '../../lib/git/errors.js';
import { packTreeAsDelta, Tree } from '../../lib/git/objects/tree.js';
import { seedOf } from '../support/counts.js';

const oid = (number: number): string => number.toString(16).padStart(40, '0');

describe('A delta', () => {
  it('followed on its base gives its target, whatever was put in, taken out or replaced', () => {
    const into = new Uint8Array(1024);
    const bytes = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max });
    fc.assert(
      fc.property(
        bytes(1, 40),
        fc.integer({ min: 600, max: 200_000 }),
        fc.nat(),
        fc.nat(300),
        bytes(0, 200),
        (...drawn) => {
          const [pattern, length, at, removed, middle] = drawn;
          const base = Buffer.alloc(length, pattern);
          const start = at % length;
          const baseEnd = Math.min(length, start + removed);
          const target = Buffer.concat([base.subarray(0, start), middle, base.subarray(baseEnd)]);
          const replacement = { start, baseEnd, targetEnd: start + middle.length };
          const follow = (written: number | undefined): void => {
            if (written === undefined) assert.ok(target.length < 1000, 'a delta of at least half of the target');
            else assert.ok(applyDelta(base, into.slice(0, written)).equals(target));
          };
          follow(encodeReplacement(length, target, replacement, into));
          follow(encodeDelta(base, target, into));
        },
      ),
      { seed: seedOf(35), numRuns: 200 },
    );
  });

  it('that is damaged, or made for another base, is refused, and asks for no memory', () => {
    const base = Buffer.alloc(1000, 'a');
    const target = Buffer.concat([base.subarray(0, 500), Buffer.from('b'), base.subarray(500)]);
    const into = new Uint8Array(100);
    const delta = into.slice(0, encodeDelta(base, target, into));
    const refused = (broken: Uint8Array, from = base): void =>
      assert.throws(() => applyDelta(from, broken), RepositoryUnreadable);
    refused(delta, Buffer.alloc(999, 'a'));
    for (let length = 0; length < delta.length; length++) refused(delta.subarray(0, length));
    refused(Buffer.concat([delta, Buffer.from([0])]));
    refused(Buffer.concat([delta, Buffer.from([1, 65])]));
    // A target of 2^49 bytes.
    refused(Buffer.concat([delta.subarray(0, 2), Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])]));
    // A copy from behind the end.
    refused(Buffer.from([...delta.subarray(0, 2), 1, 0x80 | 1 | 2 | 16, 0xe8, 0x03, 1]));
  });

  it('is stored in a zlib stream as it stands', () => {
    for (const length of [0, 1, 5000, 65_535]) {
      const content = Buffer.alloc(length, 'xyz');
      const into = new Uint8Array(length + storedOverhead + 7);
      putStored(into, 7, content);
      assert.ok(inflateSync(into.subarray(7)).equals(content));
    }
  });
});

describe('A tree as a delta', () => {
  const wide = (count: number): Tree =>
    Tree.empty.withAll(
      Array.from({ length: count }, (_, i) => [`name ${i}.md`, { mode: '100644', oid: oid(i + 1) }] as const),
    );
  const stored = (tree: Tree): Tree => {
    const read = Tree.parse(tree.bytes);
    assert.equal(read.oid, tree.oid);
    return read;
  };
  const follow = (base: Tree, tree: Tree): Buffer | undefined => {
    const delta = packTreeAsDelta(tree);
    if (delta === undefined) return undefined;
    assert.equal(delta.base, base.oid);
    assert.equal(delta.oid, tree.oid);
    const instructions = inflateSync(delta.deflated);
    assert.equal(instructions.length, delta.size);
    return applyDelta(base.bytes, instructions);
  };

  it('is made for one entry that is replaced, put in or taken out, at every place', () => {
    const base = stored(wide(40));
    for (let i = 0; i <= 40; i++) {
      const replaced = base.with(`name ${i}.md`, '100644', oid(99));
      const added = base.with(`name ${i}.txt`, '40000', oid(99));
      const removed = base.without(`name ${Math.min(i, 39)}.md`);
      for (const tree of [replaced, added, removed]) assert.deepEqual(follow(base, tree), tree.bytes);
    }
  });

  it('has the same few bytes in a folder of any width', () => {
    const sizes = [200, 20_000].map((width) => {
      const tree = stored(wide(width)).with('name 77.md', '100644', oid(99));
      return packTreeAsDelta(tree)?.deflated.length ?? Infinity;
    });
    assert.ok(Math.max(...sizes) < 150, sizes.join(', '));
  });

  it('is not made for several changes, for a new folder, nor from a tree that nobody has stored', () => {
    const base = stored(wide(40));
    assert.equal(packTreeAsDelta(base), undefined);
    const file = { mode: '100644', oid: oid(99) } as const;
    const changes: [string, typeof file | null][][] = [
      [
        ['name 1.md', file],
        ['name 2.md', file],
      ],
      [
        ['name 1.md', null],
        ['new.md', file],
      ],
      [
        ['name 1.md', file],
        ['new.md', file],
      ],
      [
        ['new 1.md', file],
        ['new 2.md', file],
      ],
    ];
    for (const several of changes) assert.equal(packTreeAsDelta(base.withAll(several)), undefined);
    assert.equal(packTreeAsDelta(Tree.empty.with('a', '100644', oid(1))), undefined);
    assert.equal(packTreeAsDelta(wide(40).with('a', '100644', oid(1))), undefined);
  });
});
