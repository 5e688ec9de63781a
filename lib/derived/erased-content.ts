import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '../domain/refusal.js';
import type { Tables } from '../sidecar/tables.js';
import { waitWithin } from './wait-within.js';

/** Milliseconds between two looks at the erases under way. */
const lookEvery = 50;

/** Knows whether the workspace's own repository still has what an accepted erase takes away. */
export class ErasedContent {
  readonly #journal: { readonly reader: Tables };
  /** Erases whose content is in no pack any more, although they are not final. By their numbers. */
  readonly #swept = new Set<number>();

  /** @param journal its reader is another one after each fault of the sidecar */
  constructor(journal: { readonly reader: Tables }) {
    this.#journal = journal;
  }

  noteSwept(erasures: readonly number[]): void {
    for (const number of erasures) this.#swept.add(number);
  }

  /**
   * Waits until the repository has nothing that is being erased. git gives an object of an old pack to
   * every client that knows its name, so it is not enough that main has moved on.
   * @param stop throws when nothing is to be waited for any more
   * @throws Refusal UNAVAILABLE when an erase takes too long, or cannot be carried out; the signal's reason
   */
  async gone(signal: AbortSignal | undefined, stop: () => void): Promise<void> {
    if (!this.#isThere()) return;
    const over = new AbortController();
    const looking = async (): Promise<void> => {
      while (this.#isThere()) {
        stop();
        await delay(lookEvery, undefined, { signal: over.signal });
      }
    };
    try {
      await waitWithin(looking(), signal, underWay);
    } finally {
      over.abort();
    }
  }

  /** @throws Refusal UNAVAILABLE when an erase cannot be carried out */
  #isThere(): boolean {
    const left = this.#journal.reader.erasures.open().filter(({ number }) => !this.#swept.has(number));
    if (left.some(({ hindrance }) => hindrance !== null)) throw hindered();
    return left.length > 0;
  }
}

function underWay(): Refusal {
  const message =
    'An erase is under way, and the whole history is given out again when its content is gone from there. ' +
    'Try again as Retry-After says.';
  return new Refusal('UNAVAILABLE', message, { retryAfter: 30 });
}

function hindered(): Refusal {
  const message =
    'An erase cannot be carried out, and the whole history still has its content, so it is not given out. ' +
    'Ask the operator of the service: `cartulary erasures` says why.';
  return new Refusal('UNAVAILABLE', message, { retryAfter: 600 });
}
