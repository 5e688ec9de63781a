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

/** How many items a part of long work has, by the time of the parts before it. */
export class PartSize {
  #size = firstPart;

  /** Items of the next part, at most a thousand. */
  get items(): number {
    return this.#size;
  }

  /**
   * Notes what a part took. The next one at most doubles, because one part can be quick by chance.
   * @param took milliseconds
   */
  note(took: number): void {
    const fitting = Math.floor((this.#size * partTime) / Math.max(took, partTime / 2));
    this.#size = Math.max(1, Math.min(fitting, largestPart));
  }
}

/**
 * Works on a list part by part, with a step after each. A part has as many items as take a few milliseconds, by the
 * time of the part before it: items of one list can cost a hundred times as much as those of another.
 */
export function* workInParts<Item>(items: readonly Item[], work: (some: readonly Item[]) => void): Steps<void> {
  const size = new PartSize();
  for (let start = 0; start < items.length;) {
    const some = items.slice(start, start + size.items);
    const began = performance.now();
    work(some);
    size.note(performance.now() - began);
    start += some.length;
    yield;
  }
}
