import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { makePage } from '../../lib/domain/page.js';

describe('A page', () => {
  it('gives a position exactly when items are left', () => {
    const keyOf = (item: string): string => item;
    assert.deepEqual(makePage(['a', 'b', 'c'], 2, keyOf), { items: ['a', 'b'], next: 'b' });
    assert.deepEqual(makePage(['a', 'b'], 2, keyOf), { items: ['a', 'b'], next: null });
    assert.deepEqual(makePage([], 2, keyOf), { items: [], next: null });
  });

  it('followed to the end gives every item once and in order, at any size', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 500 })), fc.integer({ min: 1, max: 7 }), (items, limit) => {
        const sorted = items.toSorted((a, b) => a - b);
        const seen: number[] = [];
        for (let after: string | null = '-1'; after !== null;) {
          const from = Number(after);
          const found = sorted.filter((item) => item > from).slice(0, limit + 1);
          const page: ReturnType<typeof makePage<number>> = makePage(found, limit, String);
          if (page.next !== null) assert.equal(page.items.length, limit);
          seen.push(...page.items);
          after = page.next;
        }
        assert.deepEqual(seen, sorted);
      }),
      { seed: 1 },
    );
  });
});
