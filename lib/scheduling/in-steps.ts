/** Work in steps: it can be interrupted wherever it yields, and returns its result at its end. */
export type Steps<Result> = Generator<void, Result, undefined>;

/** Runs work in steps to its end, without an interruption. */
export function runAtOnce<Result>(work: Steps<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * A list in parts of at most so many items.
 * @param weightOf what an item counts for, where that is not 1; one that counts for more has a part of its own
 */
export function* inParts<Item>(
  items: readonly Item[],
  most: number,
  weightOf: (item: Item) => number = () => 1,
): Generator<readonly Item[], void, undefined> {
  let [start, weight] = [0, 0];
  for (const [index, item] of items.entries()) {
    const added = weightOf(item);
    if (index > start && weight + added > most) {
      yield items.slice(start, index);
      [start, weight] = [index, 0];
    }
    weight += added;
  }
  if (start < items.length) yield items.slice(start);
}
