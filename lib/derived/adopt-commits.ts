import type { PushedDocument } from '../domain/push.js';
import type { Oid } from '../git/objects/objects.js';

/** Pushed commits that a derived repository takes over as its own. */
export interface AdoptedCommits {
  /** The principal's folder. */
  readonly folder: string;
  /** The head on which they were pushed. Null when the repository was empty. */
  readonly onto: Oid | null;
  /** The pushed head. */
  readonly head: Oid;
  /**
   * The folder with their pack (`*.pack` and `*.idx`), complete but for objects of the repository. Null when all their
   * objects are there already. The files are moved.
   */
  readonly packs: string | null;
  /** What they did, from the push's result. */
  readonly documents: readonly PushedDocument[];
}

/**
 * Makes pushed commits the head of a derived repository. The caller has put their changes into the workspace. May be
 * repeated after a crash: once it is done, it does nothing more.
 * @returns false when the repository's head is neither `onto` nor `head`, or there is none: nothing was changed
 */
export async function adoptCommits(adopted: AdoptedCommits): Promise<boolean> {
  return Promise.reject(new Error(`${adopted.folder} cannot take commits over yet.`));
}
