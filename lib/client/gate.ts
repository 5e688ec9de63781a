import type { Pace } from './pace.js';

/** Milliseconds for which one request stands in line for the rate of its key. */
export const maxInLine = 5 * 60_000;
/** Requests a minute that are taken for the limit where the service names none. */
const usualLimit = 600;
/** What the service may still have left before requests go without a distance again. */
const ampleRemaining = 10;
/** Milliseconds. */
const longestPause = 60_000;
/** Milliseconds, by chance, so that several programs with one key do not come back together. */
const spread = 250;

/**
 * The gate that all requests of one client pass. While the service has not refused one for its rate, it is open. After a
 * refusal nobody goes until the named time, and then one after the other, in the distance that the limit allows. So
 * many requests at once are slowed down, where each by itself would come back in the same second and be refused again.
 */
export class Gate {
  readonly #pace: Pace;
  /** When the next request may go. Milliseconds since 1970. */
  #next = 0;
  /** Milliseconds between two requests. */
  #distance = 0;
  /** How often it was closed. */
  #closings = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /**
   * Waits for a turn, if there is one to wait for.
   * @returns how often the gate had been closed when the request went
   * @throws the signal's reason
   */
  async pass(signal: AbortSignal | undefined): Promise<number> {
    const now = this.#pace.now();
    const turn = Math.max(now, this.#next);
    // Nothing is reserved while the gate is open, because the clock may be set back.
    if (this.#distance > 0) this.#next = turn + this.#distance;
    if (turn > now) await this.#pace.wait(turn - now, signal);
    return this.#closings;
  }

  /** Milliseconds until a request that came now would go. */
  get line(): number {
    return Math.max(0, this.#next - this.#pace.now());
  }

  /** Hears of a refusal for the rate. @param retryAfter seconds */
  close(headers: Headers, retryAfter: number): void {
    this.#closings += 1;
    const limit = Number(headers.get('x-ratelimit-limit') ?? usualLimit);
    this.#distance = Math.min(60_000 / (limit > 0 ? limit : usualLimit), longestPause);
    const pause = Math.min(retryAfter * 1000 + this.#pace.random() * spread, longestPause);
    this.#next = Math.max(this.#next, this.#pace.now() + pause);
  }

  /**
   * Hears of any other answer: where much is left again, nobody waits any longer.
   * @param passed what `pass` returned: an answer to a request from before the last closing says nothing of after it
   */
  hear(headers: Headers, passed: number): void {
    if (
      this.#distance === 0 ||
      passed !== this.#closings ||
      Number(headers.get('x-ratelimit-remaining') ?? 0) < ampleRemaining
    )
      return;
    this.#distance = 0;
    this.#next = 0;
  }
}
