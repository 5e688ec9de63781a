import { yieldToLoop } from './yield-to-loop.js';

/** Milliseconds of work before others get their turn. With what is done between two looks at the time, about ten. */
const slice = 8;

/**
 * The rests of long work: others get their turn after a while of work, however many pieces it had. An `await` of what
 * is already there is no rest, because the event loop does not go on meanwhile.
 */
export class Rests {
  #since = performance.now();

  /** Whether it has worked for long enough. */
  get isDue(): boolean {
    return performance.now() - this.#since >= slice;
  }

  /** Lets others have their turn. */
  async take(): Promise<void> {
    await yieldToLoop();
    this.#since = performance.now();
  }
}
