import assert from 'node:assert/strict';
import { yieldToLoop } from '../../lib/scheduling/yield-to-loop.js';

describe('Long work that yields to the event loop', () => {
  it('runs one piece in each turn of the loop, for any number of pieces', async () => {
    const done = { wentOn: 0 };
    const perTurn: number[] = [];
    const jobs = Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let slice = 0; slice < 5; slice += 1) {
          await yieldToLoop();
          done.wentOn += 1;
        }
      }),
    );
    while (done.wentOn < 100) {
      const before = done.wentOn;
      await new Promise((resolve) => setImmediate(resolve));
      perTurn.push(done.wentOn - before);
    }
    await jobs;
    assert.ok(Math.max(...perTurn) <= 1, perTurn.join(' '));
    assert.equal(
      perTurn.reduce((sum, each) => sum + each, 0),
      100,
    );
  });

  it('continues in the order in which it yielded', async () => {
    const order: string[] = [];
    const job = async (name: string): Promise<void> => {
      for (let slice = 0; slice < 3; slice += 1) {
        await yieldToLoop();
        order.push(name);
      }
    };
    await Promise.all([job('a'), job('b'), job('c')]);
    assert.equal(order.join(''), 'abcabcabc');
  });
});
