import type { Timers } from '../scheduling/timers.js';

const minute = 60_000;

/** Milliseconds before each next try. The last pause comes again and again. */
const pauses = [minute, 5 * minute, 30 * minute] as const;

interface Failed {
  /** The content. */
  readonly key: string;
  readonly count: number;
  readonly cancel: () => void;
}

/**
 * What is tried again by itself: files whose reading ended by no fault of theirs, such as one of the disk. One try is
 * pending for a document at most, and none outlasts the process, since a start looks for all that is missing.
 */
export class LaterTries {
  readonly #timers: Timers;
  /** By the document's number. */
  readonly #failed = new Map<number, Failed>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Documents with a failure that is not mended. */
  get numbers(): Iterable<number> {
    return this.#failed.keys();
  }

  has(number: number): boolean {
    return this.#failed.has(number);
  }

  /** Calls after a pause, which grows with each failure of one content. */
  add(number: number, key: string, tryAgain: () => void): void {
    const before = this.#failed.get(number);
    before?.cancel();
    const count = before?.key === key ? before.count + 1 : 0;
    const pause = pauses[Math.min(count, pauses.length - 1)] ?? 0;
    this.#failed.set(number, { key, count, cancel: this.#timers.after(pause, tryAgain) });
  }

  forget(number: number): void {
    this.#failed.get(number)?.cancel();
    this.#failed.delete(number);
  }

  clear(): void {
    for (const { cancel } of this.#failed.values()) cancel();
    this.#failed.clear();
  }
}
