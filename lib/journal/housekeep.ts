import type { Clock } from '../domain/clock.js';
import type { AnswerTime } from './answer-time.js';
import { clearArchived } from './clear-archived.js';
import type { Journal } from './journal.js';

export interface HousekeeperOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  /** The time by which stored answers grow old. */
  readonly answerTime: AnswerTime;
  /** Sweeps files beside the sidecar. */
  readonly sweepFiles: () => Promise<void>;
  /** Called with the cause when a sweep failed; the next one comes anyway. */
  readonly onFault: (cause: unknown) => void;
}

/** Milliseconds between two sweeps. */
const interval = 60_000;
/** Stored answers are deleted this many milliseconds after they were given: an hour after they expire. */
const answersKeptFor = 25 * 60 * 60 * 1000;
/** Attempts to deliver webhooks are deleted this many milliseconds after them. */
const deliveriesKeptFor = 30 * 24 * 60 * 60 * 1000;
/** Rows deleted in one transaction, so no request waits long behind a sweep. */
const rowsAtOnce = 500;
/** Unused pages of 4 kB kept in the sidecar for the next pending objects, and pages given back in one transaction. */
const pagesKept = 4096;
const pagesAtOnce = 512;

/** Sweeps expired rows out of a workspace's sidecar, a few at a time, and what lies unused beside it. */
export class Housekeeper {
  readonly #options: HousekeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: HousekeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#trySweep(), interval);
    this.#timer.unref();
    void this.#trySweep();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** @throws errors of the journal */
  async sweep(): Promise<void> {
    const { journal, clock, answerTime, sweepFiles } = this.#options;
    const upTo = answerTime.now(journal.reader) - answersKeptFor;
    for (let swept = rowsAtOnce; swept === rowsAtOnce && !this.#isClosed;) {
      swept = await journal.write({ run: ({ tables }) => tables.idempotency.sweep(upTo, rowsAtOnce) });
    }
    const delivered = clock.now() - deliveriesKeptFor;
    for (let swept = rowsAtOnce; swept === rowsAtOnce && !this.#isClosed;) {
      swept = await journal.write({ run: ({ tables }) => tables.webhooks.sweep(delivered, rowsAtOnce) });
    }
    await this.#tellLapsed();
    await clearArchived(journal, () => this.#isClosed);
    for (let unused = Number.POSITIVE_INFINITY; unused > pagesKept && !this.#isClosed;) {
      unused = await journal.write({ run: () => journal.sidecar.reclaim(pagesKept, pagesAtOnce) });
    }
    if (!this.#isClosed) await sweepFiles();
  }

  /** Notes which claims have run out, so that the feed tells it. */
  async #tellLapsed(): Promise<void> {
    const { journal, clock } = this.#options;
    while (!this.#isClosed && journal.reader.claims.hasLapsed(clock.now())) {
      await journal.write({
        run: ({ tables, now }) => {
          for (const document of tables.claims.lapse(now, rowsAtOnce)) {
            tables.activities.add({ kind: 'claim_ended', document, actor: null });
          }
        },
      });
    }
  }

  async #trySweep(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      if (!this.#isClosed) this.#options.onFault(error);
    }
  }
}
