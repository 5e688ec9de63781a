import type { Oid } from '../git/objects/objects.js';
import type { PreparedRepository } from './served-repository.js';
import { Turns } from './turns.js';

/** What is remembered of a principal's derived repository. */
export interface Kept {
  readonly turns: Turns;
  /** Work that has not begun. Requests that come now share it. */
  next: Promise<PreparedRepository> | undefined;
  head: Oid | null;
  /** As it was last brought up to date. It is of use in the same life alone. */
  last: PreparedRepository | undefined;
  /** When that was, in milliseconds of the clock that only goes on. */
  lastAt: number;
  /** Changes when the repository is destroyed or made again. */
  life: number;
  /** Whether the workspace goes on from where it was when the repository last changed. Looked at once in a process. */
  isAnchored: boolean;
  /** When its use was last noted, in milliseconds since 1970. */
  notedAt: number;
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
