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
  now(tables: Pick<Tables, 'idempotency' | 'meta'>): number {
    const now = this.#clock.now();
    const elapsed = this.#clock.elapsed();
    if (this.#last === undefined) {
      this.#ahead = now - countSince(lastCounted(tables), now);
    } else {
      const setBy = now - this.#last.now - Math.round(elapsed - this.#last.elapsed);
      if (Math.abs(setBy) > setFrom) this.#ahead += setBy;
    }
    this.#last = { now, elapsed };
    return now - this.#ahead;
  }

  /** Keeps how far it has counted, for the next start. To be called at the end. */
  keep(tables: Pick<Tables, 'idempotency' | 'meta'>): void {
    if (tables.idempotency.newest() !== null) tables.meta.set(keptName, String(this.now(tables)));
  }
}

/** The name of the value that an orderly end keeps. */
const keptName = 'answer_time';

/** The last time that is known to have been counted; null where there is no answer to grow old. */
function lastCounted({ idempotency, meta }: Pick<Tables, 'idempotency' | 'meta'>): number | null {
  const newest = idempotency.newest();
  return newest === null ? null : Math.max(newest, Number(meta.get(keptName) ?? '0'));
}

/**
 * At a start nothing tells a long pause from a clock that is ahead, so no more than an hour counts as passed since the
 * end of the process before, or since the newest answer where it was killed. Then answers last longer, which does no harm.
 */
function countSince(last: number | null, now: number): number {
  return last === null ? now : Math.min(Math.max(now, last), last + setFrom);
}
