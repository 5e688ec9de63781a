import assert from 'node:assert/strict';
import { WatchedProgram } from './event-loop.js';

describe('The watch over an event loop', () => {
  let program: WatchedProgram<{ readonly url: string }>;
  before(async () => {
    program = await WatchedProgram.start(new URL('serve-holds.js', import.meta.url));
  });
  after(() => program.close());

  it('sees for how long one request is worked on, in every repetition', async () => {
    const hold = await program.holdOf(ask('/work?ms=80'), 0, 3);
    assert.ok(hold > 60 && hold < 300, `${hold} ms`);
  });

  it('adds up nothing: many short pieces of work are as long as the longest of them', async () => {
    const hold = await program.holdOf(async () => {
      for (let count = 0; count < 10; count += 1) await ask('/work?ms=10')();
    }, 30);
    assert.ok(hold < 50, `${hold} ms`);
  });

  it('does not count time in which the machine does not run it', async () => {
    const hold = await program.holdOf(ask('/sleep?ms=200'), 20);
    assert.ok(hold < 50, `${hold} ms`);
  });

  it('looks again only where once was too long', async () => {
    let count = 0;
    await program.holdOf(async () => void (count += 1), 1000);
    assert.equal(count, 1);
    await program.holdOf(async () => void (count += 1), -1, 4);
    assert.equal(count, 5);
  });

  const ask = (path: string) => async (): Promise<void> => {
    await (await fetch(`${program.facts.url}${path}`)).text();
  };
});
