import { setTimeout as delay } from 'node:timers/promises';
import type { PreparedRepository } from './served-repository.js';

/** A right to read a repository's files: they stay while it lasts. */
export interface ReadLease {
  /** Aborted with a Refusal when the reading has to end: an erase destroys what it reads, or the service stops. */
  readonly signal: AbortSignal;
  /** To be called when no process reads the files any more. May be called twice. */
  release(): void;
}

interface Leased {
  readonly repository: PreparedRepository;
  readonly ending: AbortController;
  readonly released: Promise<void>;
}

/** Milliseconds within which a read that was aborted has to end. */
const maxEnding = 20_000;

/** What reads repositories now: fetches, and pushes that come in. */
export class ReadLeases {
  readonly #all = new Set<Leased>();

  add(repository: PreparedRepository): ReadLease {
    const ending = new AbortController();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = { repository, ending, released };
    this.#all.add(held);
    return {
      signal: ending.signal,
      release: () => {
        this.#all.delete(held);
        release();
      },
    };
  }

  /** Whether the principal's derived repository is being read. */
  isHeld(principalId: string): boolean {
    return [...this.#all].some(({ repository }) => !repository.isOwn && repository.principalId === principalId);
  }

  /**
   * Ends some of the present reads, and all that were aborted before. Resolves when they have ended.
   * @param within milliseconds for which they may go on
   * @throws Error when one does not end
   */
  async end(
    concerns: (repository: PreparedRepository) => boolean,
    { reason, within = 0 }: { readonly reason: Error; readonly within?: number },
  ): Promise<void> {
    const some = [...this.#all].filter(({ repository, ending }) => ending.signal.aborted || concerns(repository));
    if (within > 0) await doneWithin(some, within);
    for (const { ending } of some) if (!ending.signal.aborted) ending.abort(reason);
    if (!(await doneWithin(some, maxEnding))) throw new Error('A read of the repository timed out.');
  }

  /** Aborts some of the present reads, and does not wait for their end. */
  tellToEnd(concerns: (repository: PreparedRepository) => boolean, reason: Error): void {
    for (const { repository, ending } of this.#all) if (concerns(repository)) ending.abort(reason);
  }
}

async function doneWithin(some: readonly Leased[], milliseconds: number): Promise<boolean> {
  if (some.length === 0) return true;
  const waiting = new AbortController();
  try {
    const all = Promise.all(some.map(({ released }) => released)).then(() => true);
    const tooLong = delay(milliseconds, false, { signal: waiting.signal, ref: false }).catch(() => false);
    return await Promise.race([all, tooLong]);
  } finally {
    waiting.abort();
  }
}
