/** Work in steps: it can be interrupted wherever it yields, and returns its result at its end. */
export type Steps<Result> = Generator<void, Result, undefined>;

/** Runs work in steps to its end, without an interruption. */
export function runAtOnce<Result>(work: Steps<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** A list in parts of at most so many items. */
export function* inParts<Item>(items: readonly Item[], most: number): Generator<readonly Item[], void, undefined> {
  for (let start = 0; start < items.length; start += most) yield items.slice(start, start + most);
}
