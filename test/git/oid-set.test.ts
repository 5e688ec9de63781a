import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { OidSet } from '../../lib/git/objects/oid-set.js';

describe('a set of object names', () => {
  it('has the added names, once and in that order, beyond its first size too', () => {
    const oids = made(0, 50_000);
    const set = setOf([...oids, ...oids]);
    assert.equal(set.size, oids.length);
    assert.deepEqual([...set], oids);
    assert.ok(oids.every((oid) => set.has(oid)));
    assert.ok(made(50_000, 60_000).every((oid) => !set.has(oid)));
  });

  it('distinguishes names with the same beginning', () => {
    const oids = Array.from({ length: 300 }, (_, index) => `${'0'.repeat(36)}${index.toString(16).padStart(4, '0')}`);
    const set = setOf(oids.slice(1));
    assert.ok(!set.has(oids[0]!));
    assert.deepEqual([...set], oids.slice(1));
  });

  it('finds the names shared with another, in its own order', () => {
    const one = setOf(made(0, 300).toReversed());
    const other = setOf(made(100, 400));
    assert.deepEqual([...one.intersect(other)], made(100, 300).toReversed());
    other.addAll(one);
    assert.equal(other.size, 400);
  });
});

const oidOf = (number: number): string => createHash('sha1').update(String(number)).digest('hex');

const made = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => oidOf(from + index));

function setOf(oids: readonly string[]): OidSet {
  const set = new OidSet();
  for (const oid of oids) set.add(oid);
  return set;
}
