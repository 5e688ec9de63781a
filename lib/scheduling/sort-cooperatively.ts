import { runCooperatively } from './run-cooperatively.js';

/** Items sorted in one go: less than a few milliseconds. */
const runLength = 2048;

/** Sorts many items, stably; others get their turn meanwhile. */
export function sortCooperatively<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  return runCooperatively(sort(items, compare));
}

function* sort<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Generator<void, Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<void, Item[]> {
  const merged: Item[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length || atRight < right.length) {
    const [a, b] = [left[atLeft], right[atRight]];
    if (b === undefined || (a !== undefined && compare(a, b) <= 0)) {
      merged.push(a as Item);
      atLeft += 1;
    } else {
      merged.push(b);
      atRight += 1;
    }
    if (merged.length % runLength === 0) yield;
  }
  return merged;
}
