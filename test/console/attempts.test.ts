import assert from 'node:assert/strict';
import { Attempts } from '../../lib/console/web/api/attempts.js';

describe('The keys of what a person does in the console', () => {
  let attempts: Attempts;

  beforeEach(() => {
    let made = 0;
    attempts = new Attempts(() => `key ${++made}`);
  });

  it('stay for the same wish until it is done', () => {
    const wish = { location: 'a.md', role: undefined };
    assert.equal(attempts.keyFor(wish), 'key 1');
    assert.equal(attempts.keyFor({ ...wish }), 'key 1');
    attempts.done();
    assert.equal(attempts.keyFor(wish), 'key 2');
  });

  it('are new for another wish, also when the first one comes again', () => {
    assert.deepEqual(
      ['a', 'b', 'a', undefined, undefined].map((wish) => attempts.keyFor(wish)),
      ['key 1', 'key 2', 'key 3', 'key 4', 'key 4'],
    );
  });

  it('idempotency keys in the console belong to one action each', () => {
    assert.equal(attempts.keyFor('move', 'a.md'), 'key 1');
    assert.equal(attempts.keyFor('move', 'b.md'), 'key 2');
    attempts.done('a.md');
    assert.equal(attempts.keyFor('move', 'b.md'), 'key 2');
    assert.equal(attempts.keyFor('move', 'a.md'), 'key 3');
  });
});
