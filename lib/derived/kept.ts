import type { Oid } from '../git/objects/objects.js';
import type { Basis } from './basis.js';
import type { PreparedRepository } from './served-repository.js';
import { Turns } from './turns.js';

/** Heads that are remembered of one life of a repository. */
const maxHeads = 64;

/** What is remembered of a principal's derived repository. */
export interface Kept {
  readonly turns: Turns;
  /** Work that has not begun. Requests that come now share it. */
  next: Promise<PreparedRepository> | undefined;
  head: Oid | null;
  /** As it was last brought up to date. It is of use in the same life alone. */
  last: PreparedRepository | undefined;
  /** The last heads of this life, the oldest first, each with what it was decided by. */
  readonly heads: Map<Oid, Basis>;
  /** The workspace's own repository, as a fetch of the principal was last told of it. */
  own: PreparedRepository | undefined;
  /** When it was last brought up to date, in milliseconds of the clock that only goes on. */
  lastAt: number;
  /** Changes when the repository is destroyed or made again. */
  life: number;
  /** Whether the workspace goes on from where it was when the repository last changed. Looked at once in a process. */
  isAnchored: boolean;
  /** When its use was last noted, in milliseconds since 1970. */
  notedAt: number;
}

/** Remembers a head of the present life. */
export function noteHead({ heads }: Kept, head: Oid | null, basis: Basis): void {
  if (head === null) return;
  heads.delete(head);
  heads.set(head, basis);
  const [oldest] = heads.keys();
  if (heads.size > maxHeads && oldest !== undefined) heads.delete(oldest);
}

/** What is remembered of all of them. It is small, and forgotten with the process. */
export class KeptRepositories {
  readonly #all = new Map<string, Kept>();

  of(principalId: string): Kept {
    let kept = this.#all.get(principalId);
    if (kept === undefined) {
      const never = Number.NEGATIVE_INFINITY;
      kept = {
        turns: new Turns(),
        next: undefined,
        head: null,
        last: undefined,
        heads: new Map(),
        own: undefined,
        lastAt: never,
        life: 0,
        isAnchored: false,
        notedAt: never,
      };
      this.#all.set(principalId, kept);
    }
    return kept;
  }

  ids(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** Resolves when nothing is left to be done. */
  async done(): Promise<void> {
    await Promise.all([...this.#all.values()].map(({ turns }) => turns.done()));
  }
}
