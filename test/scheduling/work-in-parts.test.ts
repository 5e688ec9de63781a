import assert from 'node:assert/strict';
import { inParts } from '../../lib/scheduling/in-steps.js';

describe('a list in parts', () => {
  it('has so many items in each', () => {
    assert.deepEqual([...inParts([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
    assert.deepEqual([...inParts([1, 2], 2)], [[1, 2]]);
    assert.deepEqual([...inParts([], 2)], []);
  });

  it('has fewer where they count for more, and each comes once', () => {
    const weight = (item: number): number => item;
    assert.deepEqual([...inParts([1, 2, 3, 9, 1, 1, 4], 5, weight)], [[1, 2], [3], [9], [1, 1], [4]]);
  });
});
