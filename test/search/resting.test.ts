import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { IndexOf } from './index-of.js';

const query = 'ladd* ledder~2 stair rung';

function makeIndex(): IndexOf {
  const of = new IndexOf({}, { firstTier: 600 });
  for (let number = 0; number < 40; number += 1) {
    of.write(`f${number % 4}/${number}.md`, `ladder ${'stair '.repeat(number % 5)} rung ${'wood '.repeat(number)}`);
  }
  return of;
}

describe('search: a query that is much work', () => {
  const now = performance.now.bind(performance);
  let elapsed = 0;

  // Each look at the clock finds that a long time has passed, so that it rests wherever it can.
  beforeEach(() => {
    performance.now = () => (elapsed += 1000);
  });
  afterEach(() => {
    performance.now = now;
  });

  it('lets others have their turn, again and again', async () => {
    const of = makeIndex();
    const state = { isAnswered: false };
    const asked = of.find(query).finally(() => (state.isAnswered = true));
    let turns = 0;
    for (; !state.isAnswered; turns += 1) await turn();
    assert.equal((await asked).length, 40);
    assert.ok(turns > 20, `${turns} turns`);
  });

  it('answers with the index of the moment when it was asked, whatever is written and merged meanwhile', async () => {
    const of = makeIndex();
    const before = await of.page(query, { limit: 10 });
    for (const rests of [1, 5, 12, 25]) {
      const asked = of.page(query, { limit: 10 });
      for (let rested = 0; rested < rests; rested += 1) await turn();
      for (let number = 0; number < 40; number += 1) {
        const location = `f${number % 4}/${number}.md`;
        const text = of.texts.get(location) ?? '';
        of.remove(location);
        of.write(location, 'something else');
        of.write(location, text);
      }
      assert.deepEqual(await asked, before, `after ${rests} turns`);
      await of.index.settle();
    }
  });

  it('gives what was renamed meanwhile the name that it has', async () => {
    const of = makeIndex();
    const before = await of.find(query);
    const asked = of.find(query);
    await turn();
    of.rename('f1', 'moved');
    assert.deepEqual(
      await asked,
      before.map((location) => location.replace(/^f1\//, 'moved/')),
    );
  });

  it('does not mix with other queries that are under way', async () => {
    const of = makeIndex();
    const queries = [query, 'stair', 'rung wood', 'stai* wood', 'wood~1 -stair'];
    const alone: string[][] = [];
    for (const each of queries) alone.push(await of.find(each));
    assert.deepEqual(await Promise.all(queries.map((each) => of.find(each))), alone);
  });
});
