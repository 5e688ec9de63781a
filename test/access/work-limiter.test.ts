import assert from 'node:assert/strict';
import { WorkLimiter, type Release } from '../../lib/limits/work-limiter.js';
import { outcomeOf } from '../support/store/actor.js';

const short = 20;

describe('Limited work under way', () => {
  const limit = { perSource: 2, inAll: 5, waiting: 2, timeout: short };
  let limiter: WorkLimiter;
  beforeEach(() => {
    limiter = new WorkLimiter(limit);
  });

  it('waits when its source has too much under way, and goes on when part of it is done', async () => {
    const [first] = await takeMany('a', 2);
    let isAdmitted = false;
    const third = limiter.take('a').then((release) => {
      isAdmitted = true;
      return release;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isAdmitted, false);
    first?.();
    await third;
    assert.equal(isAdmitted, true);
  });

  it('is refused as too much for the source after the wait, with a time for a retry', async () => {
    await takeMany('a', 2);
    await assert.rejects(limiter.take('a'), { code: 'RATE_LIMITED', retryAfter: 1 });
    assert.equal(await outcomeOf(limiter.take('a')), 'RATE_LIMITED');
  });

  it('is refused at once when its source has enough waiting', async () => {
    await takeMany('a', 2);
    const waiting = [limiter.take('a'), limiter.take('a')];
    let isRefused = false;
    limiter.take('a').catch(() => (isRefused = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isRefused, true);
    await Promise.allSettled(waiting);
  });

  it('takes nothing from another source, waiting or not', async () => {
    await takeMany('a', 2);
    const waiting = limiter.take('a').catch(() => undefined);
    await takeMany('b', 2);
    await waiting;
  });

  it('is refused as too much for the service when all together have too much under way', async () => {
    await takeMany('a', 2);
    await takeMany('b', 2);
    await limiter.take('c');
    await assert.rejects(limiter.take('c'), { code: 'UNAVAILABLE', retryAfter: 2 });
    assert.throws(() => limiter.takeNow('d'), { code: 'UNAVAILABLE' });
    assert.throws(() => limiter.takeNow('a'), { code: 'RATE_LIMITED' });
  });

  it('counts units, gives each of them back once, and takes more than the limit as the limit', async () => {
    const bytes = new WorkLimiter({ perSource: 100, inAll: 250, waiting: 1, timeout: short });
    const all = await bytes.take('a', 1000);
    assert.equal(bytes.tryTake('a', 1), undefined);
    all();
    all();
    const most = await bytes.take('a', 100);
    assert.equal(bytes.tryTake('a', 1), undefined);
    most();
    assert.ok(bytes.tryTake('a', 60));
    assert.ok(bytes.tryTake('b', 100));
    assert.equal(bytes.tryTake('c', 91), undefined);
    assert.ok(bytes.tryTake('c', 90));
  });

  it('keeps room for a large piece that much small work went before', async () => {
    const bytes = new WorkLimiter({ perSource: 80, inAll: 100, waiting: 5, timeout: 60_000 });
    let running = [await bytes.take('b', 30), await bytes.take('c', 30)];
    const waiting = bytes.take('a', 80);
    let overtaking = 0;
    for (; overtaking < 50 && bytes.use.waiting > 0; overtaking += 1) {
      // A new small piece comes before the one that it follows is done.
      const next = bytes.tryTake('d', 30);
      running.shift()?.();
      if (next !== undefined) running = [...running, next];
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(overtaking < 10, `${overtaking} small pieces went before it`);
    (await waiting)();
    for (const release of running) release();
    assert.equal(bytes.use.used, 0);
  });

  it('looks through those that wait once, where room is kept from all of them', async () => {
    const bytes = new WorkLimiter({ perSource: 80, inAll: 100, waiting: 5, timeout: 60_000 });
    const first = [await bytes.take('b', 79), await bytes.take('c', 21)];
    const large = bytes.take('a', 80);
    const small = Array.from({ length: 4000 }, async (_, index) => bytes.take(`s${index}`));
    for (const release of first) release();
    assert.deepEqual([bytes.use.used, bytes.use.waiting], [100, 3901]);
    const release = await small[0];
    // Each with each would be 8 million comparisons.
    const began = process.cpuUsage();
    release?.();
    assert.ok(process.cpuUsage(began).user < 50_000);
    assert.deepEqual([bytes.use.used, bytes.use.waiting], [99, 3901]);
    for (const each of small.slice(1, 100)) (await each)();
    (await large)();
    for (const each of small.slice(100)) (await each)();
    assert.equal(bytes.use.used, 0);
  });

  it('keeps no room for a piece that waits for its own source, or that is refused', async () => {
    const bytes = new WorkLimiter({ perSource: 80, inAll: 100, waiting: 5, timeout: short });
    const own = await bytes.take('a', 40);
    const second = bytes.take('a', 80);
    for (let count = 0; count < 20; count += 1) (await bytes.take('b', 60))();
    own();
    (await second)();
    const held = [await bytes.take('b', 60), await bytes.take('c', 40)];
    const large = bytes.take('a', 80).catch(() => undefined);
    held.pop()?.();
    for (let count = 0; count < 3; count += 1) bytes.tryTake('c', 40)?.();
    assert.equal(bytes.tryTake('c', 40), undefined);
    const small = bytes.take('d', 40);
    await large;
    (await small)();
    assert.ok(bytes.tryTake('c', 40));
  });

  it('lets waiting work that fits go first, in the order of arrival', async () => {
    const bytes = new WorkLimiter({ perSource: 100, inAll: 100, waiting: 5, timeout: 1000 });
    const first = await bytes.take('a', 60);
    const order: string[] = [];
    const noted = async (name: string, source: string, units: number): Promise<void> => {
      const release = await bytes.take(source, units);
      order.push(name);
      release();
    };
    const all = [noted('large', 'b', 80), noted('small', 'c', 40), noted('smaller', 'd', 30)];
    await new Promise((resolve) => setImmediate(resolve));
    first();
    await Promise.all(all);
    assert.deepEqual(order, ['small', 'smaller', 'large']);
  });

  const takeMany = (source: string, count: number): Promise<Release[]> =>
    Promise.all(Array.from({ length: count }, () => limiter.take(source)));
});
