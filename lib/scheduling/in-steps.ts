/** Work in steps: it can be interrupted wherever it yields, and returns its result at its end. */
export type Steps<Result> = Generator<void, Result, undefined>;

/** Runs work in steps to its end, without an interruption. */
export function runAtOnce<Result>(work: Steps<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Items of the first part. */
const firstPart = 32;
/** The most items of a part: a statement gets them all in one text. */
const largestPart = 1000;
/** Milliseconds that a part shall take. */
const partTime = 3;

/** How many items a part of long work has, by the time of the part before it. */
export class PartSize {
  #size = firstPart;

  /**
   * Does one part. The next one at most doubles, because a part can be quick by chance.
   * @param work gets the number of items, at most a thousand and at most `most`
   */
  run<Result>(work: (items: number) => Result, most = largestPart): Result {
    const items = Math.min(this.#size, most);
    const began = performance.now();
    const result = work(items);
    const took = performance.now() - began;
    const fitting = Math.floor((items * partTime) / Math.max(took, partTime / 2));
    this.#size = Math.max(1, Math.min(fitting, largestPart));
    return result;
  }
}

/**
 * Works on a list part by part, with a step after each. A part has as many items as take a few milliseconds, by the
 * time of the part before it: items of one list can cost a hundred times as much as those of another.
 */
export function* workInParts<Item>(items: readonly Item[], work: (some: readonly Item[]) => void): Steps<void> {
  const size = new PartSize();
  for (let start = 0; start < items.length;) {
    start += size.run((count) => {
      const some = items.slice(start, start + count);
      work(some);
      return some.length;
    });
    yield;
  }
}
