import assert from 'node:assert/strict';
import { limitRate } from '../../lib/limits/limit-rate.js';
import { RateLimiter, type RatedKind } from '../../lib/limits/token-buckets.js';
import { defaultPolicy } from '../../lib/domain/policy.js';
import { TestClock } from '../support/store/service.js';

describe('The allowance of a source', () => {
  const many = 100_000;
  let clock: TestClock;
  let limiter: RateLimiter;

  beforeEach(() => {
    clock = new TestClock();
    limiter = new RateLimiter(clock);
  });

  it('is not given back by a flood of others, of its own kind or of another', () => {
    exhaust('credential', 'key', 60, 100);
    exhaust('address', 'guesser', 300, 300);
    for (let other = 0; other < many + 10; other += 1) limiter.take('address', `address ${other}`, 300, 300);
    assert.equal(limiter.take('credential', 'key', 60, 100).allowed, false);
    assert.equal(limiter.take('address', 'guesser', 300, 300).allowed, false);
  });

  it('grows at once with a rate of its own, and is that of the workspace without one', () => {
    const take = (requestsPerMinute: number | null): number =>
      limitRate(limiter, {
        workspace: 'acme',
        source: String(requestsPerMinute),
        requestsPerMinute,
        policy: { ...defaultPolicy, requestsPerMinute: 600, burst: 100 },
      }).remaining + 1;
    assert.deepEqual([null, 1, 60, 600, 6000, 100_000].map(take), [100, 1, 60, 100, 1000, 16_667]);
  });

  it('refills at the rate of its requests, whatever other sources ask', () => {
    exhaust('credential', 'slow key', 6, 10);
    for (let other = 0; other < many; other += 1) limiter.take('credential', `key ${other}`, 600, 10);
    clock.advance(10_000);
    // Ten seconds at this one's rate fill its own bucket, but not the slow one's.
    limiter.take('credential', 'fast key', 600, 10);
    assert.equal(limiter.take('credential', 'slow key', 6, 10).allowed, true);
    assert.equal(limiter.take('credential', 'slow key', 6, 10).allowed, false);
  });

  it('is owed for work that cost more than was left, until it has come back', () => {
    limiter.take('credential', 'key', 60, 10);
    assert.equal(limiter.charge('credential', 'key', 60, 10, 4).remaining, 5);
    assert.equal(limiter.charge('credential', 'key', 60, 10, 20).remaining, 0);
    assert.deepEqual(limiter.take('credential', 'key', 60, 10), {
      allowed: false,
      limit: 60,
      remaining: 0,
      retryAfter: 16,
    });
    clock.advance(16_000);
    assert.equal(limiter.take('credential', 'key', 60, 10).allowed, true);
  });

  function exhaust(kind: RatedKind, source: string, perMinute: number, burst: number): void {
    while (limiter.take(kind, source, perMinute, burst).allowed);
  }
});
