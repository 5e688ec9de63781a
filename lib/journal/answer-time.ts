import type { Clock } from '../domain/clock.js';
import type { Tables } from '../sidecar/tables.js';

/** Milliseconds. A clock that differs by more between two looks was set, and no time has passed by it. */
const setFrom = 60 * 60 * 1000;

/**
 * The time by which stored answers grow old (decision 0336). It goes with the machine's clock, but not where that is
 * set: a clock that is ahead for a while must not make the service forget what it answered.
 */
export class AnswerTime {
  readonly #clock: Clock;
  #last: { readonly now: number; readonly elapsed: number } | undefined;
  /** What the machine's clock is ahead of this one. */
  #ahead = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Milliseconds since 1970, as the service has counted them. Has to be asked every few minutes to notice each setting.
   * @param tables where the answers are
   */
  now(tables: Pick<Tables, 'idempotency'>): number {
    const now = this.#clock.now();
    const elapsed = this.#clock.elapsed();
    if (this.#last === undefined) {
      this.#ahead = now - countSince(tables.idempotency.newest(), now);
    } else {
      const setBy = now - this.#last.now - Math.round(elapsed - this.#last.elapsed);
      if (Math.abs(setBy) > setFrom) this.#ahead += setBy;
    }
    this.#last = { now, elapsed };
    return now - this.#ahead;
  }
}

/**
 * At a start nothing tells a long pause from a clock that is ahead, so no more than an hour counts as passed since the
 * newest answer. Then answers last longer, which does no harm.
 */
function countSince(newest: number | null, now: number): number {
  return newest === null ? now : Math.min(Math.max(now, newest), newest + setFrom);
}
