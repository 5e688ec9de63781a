import assert from 'node:assert/strict';
import { CursorSealer } from '../../lib/access/seal-cursor.js';
import { makeTestRandomness, TestClock } from '../support/store/service.js';

const hour = 60 * 60 * 1000;

describe('a sealed cursor', () => {
  it('opens for a day, or for as long as it was given', () => {
    const clock = new TestClock();
    const sealer = new CursorSealer(Buffer.alloc(32, 1), clock, makeTestRandomness());
    const owner = { credential: 'c', route: 'r', query: {} };
    const [usual, long] = [sealer.seal('here', owner), sealer.seal('next', owner, 48 * hour)];
    clock.advance(24 * hour - 1);
    assert.equal(sealer.open(usual, owner), 'here');
    clock.advance(1);
    assert.throws(() => sealer.open(usual, owner), { message: /not one for this query/ });
    assert.equal(sealer.open(long, owner), 'next');
    clock.advance(24 * hour);
    assert.throws(() => sealer.open(long, owner), { message: /not one for this query/ });
    assert.equal(usual.length, long.length, 'its length tells that of the position and nothing of the time');
  });
});
