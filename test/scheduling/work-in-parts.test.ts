import assert from 'node:assert/strict';
import { runAtOnce, workInParts } from '../../lib/scheduling/in-steps.js';

describe('work in parts', () => {
  it('has parts of many items where each takes no time, and never more than a statement takes', () => {
    const sizes = sizesOf(20_000, 0);
    assert.ok(sizes.length < 60, `${sizes.length} parts`);
    assert.ok(Math.max(...sizes) <= 1000, String(sizes));
  });

  it('has parts of single items where each takes long', () => {
    assert.ok(
      sizesOf(60, 4)
        .slice(1)
        .every((size) => size === 1),
    );
  });

  it('makes a step after each part, and none of an empty list', () => {
    assert.equal([...workInParts([1, 2], () => undefined)].length, 1);
    assert.equal([...workInParts([], () => undefined)].length, 0);
  });
});

const work = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
};

/** The sizes of the parts. */
function sizesOf(count: number, perItem: number): number[] {
  const items = Array.from({ length: count }, (_, index) => index);
  const [seen, sizes]: [number[], number[]] = [[], []];
  runAtOnce(
    workInParts(items, (some) => {
      seen.push(...some);
      sizes.push(some.length);
      work(some.length * perItem);
    }),
  );
  assert.deepEqual(seen, items, 'each comes once, in order');
  return sizes;
}
