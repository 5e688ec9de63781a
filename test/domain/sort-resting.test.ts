import assert from 'node:assert/strict';
import { sortCooperatively } from '../../lib/scheduling/sort-cooperatively.js';

describe('sorting very many items', () => {
  it('gives the same order as sorting them at once, for any number', async () => {
    for (const count of [0, 1, 2, 2048, 2049, 4096, 10_000]) {
      const items = Array.from({ length: count }, (_, index) => ({ key: (index * 7919) % 101, index }));
      assert.deepEqual(await sortCooperatively(items, byKey), items.toSorted(byKey), `${count} items`);
    }
  });

  it('lets other work run while it sorts', async () => {
    const items = Array.from({ length: 300_000 }, (_, index) => ({ key: (index * 7919) % 1_000_003 }));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await sortCooperatively(items, byKey);
    clearInterval(timer);
    assert.ok(turns > 3, `${turns} turns`);
  });

  const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
});
