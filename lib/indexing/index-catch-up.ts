import { systemTimers, type Timers } from '../scheduling/timers.js';

/** Milliseconds until a failed run is made again: twice as long after each failure, up to the longest. */
const firstPause = 1000;
const longestPause = 10 * 60_000;

export interface CatchUpOptions {
  /** Brings the index up to date. @throws Error where it could not */
  readonly run: () => Promise<void>;
  readonly onFault: (cause: unknown) => void;
  /** Left out: the system's. */
  readonly timers?: Timers;
}

/**
 * Brings the search index up to date whenever somebody asks, one run after the other. A run that failed is made again
 * after a pause: what kept it may be over by then, and no search would be answered until the next start.
 */
export class IndexCatchUp {
  readonly #options: CatchUpOptions;
  #last: Promise<void> = Promise.resolve();
  #failures = 0;
  #isClosed = false;
  /** Takes the next attempt back. */
  #forget: () => void = () => undefined;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** Resolves when all runs asked for so far have ended, well or not. */
  get ended(): Promise<void> {
    return this.#last;
  }

  /** Returns at once. */
  ask(): void {
    this.#forget();
    this.#last = this.#last.then(() => this.#run());
  }

  /** Resolves when the run under way has ended. None begins after that. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    return this.#last;
  }

  async #run(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#options.run();
      this.#failures = 0;
    } catch (error) {
      this.#options.onFault(error);
      const pause = Math.min(firstPause * 2 ** this.#failures, longestPause);
      this.#failures += 1;
      this.#forget();
      if (!this.#isClosed) this.#forget = (this.#options.timers ?? systemTimers).after(pause, () => this.ask());
    }
  }
}
