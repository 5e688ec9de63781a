/** Shared by all sidecars of the process, so that a sidecar opened again never repeats a stamp of its predecessor. */
let last = 0;

/** What a write is about to change. Keys stand beside a principal's state, which is part of its reach as well. */
export type Touched = 'reach' | 'keys';

/**
 * The stamps of a sidecar. Values that were read under a stamp are valid exactly while it stays the same.
 *
 * A stamp changes before each write of its tables, after each rollback, and again after the commit of such a write:
 * between the steps of a long write others read the state before it, under the new stamp.
 */
export class Stamps {
  #reach = next();
  #keys = next();
  #isReachWritten = false;
  #areKeysWritten = false;

  get reach(): number {
    return this.#reach;
  }

  get keys(): number {
    return this.#keys;
  }

  /** Before a write. */
  readonly touch = (what: Touched): void => {
    if (what === 'reach') {
      this.#reach = next();
      this.#isReachWritten = true;
    }
    this.#keys = next();
    this.#areKeysWritten = true;
  };

  /** After a commit. */
  readonly committed = (): void => {
    if (this.#isReachWritten) this.#reach = next();
    if (this.#areKeysWritten) this.#keys = next();
    this.#isReachWritten = false;
    this.#areKeysWritten = false;
  };

  readonly rolledBack = (): void => {
    this.touch('reach');
    this.committed();
  };
}

function next(): number {
  last += 1;
  return last;
}
