import assert from 'node:assert/strict';
import { CursorSealer, type CursorOwner } from '../../lib/access/seal-cursor.js';
import { TestClock } from '../support/store/service.js';

const hour = 60 * 60 * 1000;

describe('a sealed cursor', () => {
  it('opens for a day, or for as long as it was given', () => {
    const clock = new TestClock();
    const sealer = new CursorSealer(Buffer.alloc(32, 1), clock);
    const owner = { credential: 'c', route: 'r', query: {} };
    const [usual, long] = [sealer.seal('here', owner), sealer.seal('next', owner, 48 * hour)];
    clock.advance(24 * hour - 1);
    assert.equal(sealer.open(usual, owner), 'here');
    clock.advance(1);
    assert.throws(() => sealer.open(usual, owner), { message: /belongs to another question/ });
    assert.equal(sealer.open(long, owner), 'next');
    clock.advance(24 * hour);
    assert.throws(() => sealer.open(long, owner), { message: /belongs to another question/ });
    assert.equal(usual.length, long.length, 'its length tells that of the position and nothing of the time');
  });

  it('opens for no other owner, query, route or key, and not with a changed bit', () => {
    const clock = new TestClock();
    const sealer = new CursorSealer(Buffer.alloc(32, 1), clock);
    const owner = { credential: 'c', route: 'r', query: { folder: 'a' } };
    const cursor = sealer.seal('here', owner);
    const refused = (opener: CursorSealer, text: string, by: CursorOwner): void => {
      assert.throws(() => opener.open(text, by), { message: /belongs to another question/ });
    };
    refused(sealer, cursor, { ...owner, credential: 'd' });
    refused(sealer, cursor, { ...owner, route: 's' });
    refused(sealer, cursor, { ...owner, query: { folder: 'b' } });
    refused(new CursorSealer(Buffer.alloc(32, 2), clock), cursor, owner);
    const bytes = Buffer.from(cursor, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      refused(sealer, changed.toString('base64url'), owner);
    }
    for (const text of ['', 'x', cursor.slice(0, 20), `${cursor}A`]) refused(sealer, text, owner);
    assert.ok(!bytes.includes('here'));
    assert.equal(sealer.open(cursor, owner), 'here');
  });

  it('a sealed cursor takes 30 characters beside its position', () => {
    const sealer = new CursorSealer(Buffer.alloc(32, 1), new TestClock());
    assert.ok(sealer.seal('', { credential: 'c', route: 'r', query: {} }).length <= 30);
  });
});
