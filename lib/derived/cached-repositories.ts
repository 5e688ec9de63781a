import type { Oid } from '../git/objects/objects.js';
import type { ReachSnapshot } from './reach-snapshot.js';
import type { PreparedRepository } from './served-repository.js';

/** Heads that are remembered of one life of a repository. */
const maxHeads = 64;

/** The state of a principal's derived repository, as the process remembers it. */
export interface CachedRepository {
  readonly queue: SerialQueue;
  /** Work that has not begun. Requests that come now share it. */
  next: Promise<PreparedRepository> | undefined;
  head: Oid | null;
  /** As it was last brought up to date. It is of use in the same life alone. */
  last: PreparedRepository | undefined;
  /** The last heads of this life, the oldest first, each with what it was decided by. */
  readonly heads: Map<Oid, ReachSnapshot>;
  /** The workspace's own repository, as a fetch of the principal was last answered with it. */
  own: PreparedRepository | undefined;
  /** When it was last brought up to date, in milliseconds of the clock that only goes on. */
  lastAt: number;
  /** Changes when the repository is destroyed or made again. */
  life: number;
  /** Whether the workspace goes on from where it was when the repository last changed. Looked at once in a process. */
  isMarkerChecked: boolean;
  /** When its use was last noted, in milliseconds since 1970. */
  notedAt: number;
}

/** Remembers a head of the present life. */
export function noteHead({ heads }: CachedRepository, head: Oid | null, basis: ReachSnapshot): void {
  if (head === null) return;
  heads.delete(head);
  heads.set(head, basis);
  const [oldest] = heads.keys();
  if (heads.size > maxHeads && oldest !== undefined) heads.delete(oldest);
}

/** The remembered state of all derived repositories. It is small, and gone with the process. */
export class CachedRepositories {
  readonly #all = new Map<string, CachedRepository>();

  of(principalId: string): CachedRepository {
    let cached = this.#all.get(principalId);
    if (cached === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      cached = {
        queue: new SerialQueue(),
        next: undefined,
        head: null,
        last: undefined,
        heads: new Map(),
        own: undefined,
        lastAt: never,
        life: 0,
        isMarkerChecked: false,
        notedAt: never,
      };
      this.#all.set(principalId, cached);
    }
    return cached;
  }

  ids(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** Resolves when nothing is left to be done. */
  async done(): Promise<void> {
    await Promise.all([...this.#all.values()].map(({ queue }) => queue.done()));
  }
}

/** Lets one piece of work run at a time, in the order of the calls. */
class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when everything asked for before has ended, however that ended. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#last.then(work);
    this.#last = working.catch(() => undefined);
    return working;
  }

  /** Waits for a turn that lasts until it is given back. */
  take(): { readonly begun: Promise<void>; readonly end: () => void } {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const begun = this.#last.then(() => undefined);
    this.#last = begun.then(() => over);
    return { begun, end };
  }

  /** Resolves when nothing is left to be done. */
  async done(): Promise<void> {
    await this.#last;
  }
}
