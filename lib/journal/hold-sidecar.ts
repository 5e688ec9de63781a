import type { Clock } from '../domain/clock.js';
import { refuseUndecided } from '../sidecar/fault.js';
import type { Sidecar } from '../sidecar/sidecar.js';

/** Milliseconds before opening a faulty file is tried again. */
const reopenInterval = 1000;

export interface HoldOptions {
  readonly openSidecar: () => Sidecar;
  readonly clock: Clock;
  /** Called with the opened file before any other use; where it throws, the file counts as unopened. */
  readonly onOpened: (sidecar: Sidecar) => void;
  /** The disk of the file; null where it is not watched. */
  readonly disk: { readonly isShort: boolean } | null;
  /** Called with the cause when it could not be closed, or opened again. */
  readonly onFault: (cause: unknown) => void;
}

/** A workspace's file. After a fault, a request for it opens it again, but at most once in a while. */
export class HeldSidecar {
  readonly #options: HoldOptions;
  #sidecar: Sidecar | undefined;
  /** When opening the file was last tried. */
  #triedAt = Number.NEGATIVE_INFINITY;
  /** Why the last try failed. */
  #fault: unknown;
  #isClosed = false;

  /** @throws Error when the file cannot be opened */
  constructor(options: HoldOptions) {
    this.#options = options;
    this.#sidecar = this.#open();
  }

  get isOpen(): boolean {
    return this.#sidecar !== undefined;
  }

  /** The open file. @throws Refusal UNAVAILABLE while it cannot be opened, or when it was closed for good */
  get(): Sidecar {
    return this.#sidecar ?? this.#reopen();
  }

  /**
   * After a fault: uncommitted changes are dropped, and the committed state is read from disk again, at once or later.
   */
  startOver(): void {
    if (this.#sidecar?.isInMemory === true) {
      this.#sidecar.sqlTransaction.rollback();
      return;
    }
    try {
      this.#sidecar?.close();
    } catch (error) {
      this.#options.onFault(error);
    }
    this.#sidecar = undefined;
    this.#triedAt = Number.NEGATIVE_INFINITY;
    try {
      this.#reopen();
    } catch {
      // The fault was reported; each later request tries again.
    }
  }

  /** For good. */
  close(): void {
    this.#isClosed = true;
    this.#sidecar?.close();
    this.#sidecar = undefined;
  }

  #reopen(): Sidecar {
    const now = this.#options.clock.elapsed();
    if (this.#isClosed || now - this.#triedAt < reopenInterval) throw refuseUndecided(this.#fault, this.#options.disk);
    this.#triedAt = now;
    try {
      this.#sidecar = this.#open();
    } catch (error) {
      this.#options.onFault(error);
      this.#fault = error;
      throw refuseUndecided(error, this.#options.disk);
    }
    return this.#sidecar;
  }

  #open(): Sidecar {
    const sidecar = this.#options.openSidecar();
    try {
      this.#options.onOpened(sidecar);
    } catch (error) {
      sidecar.close();
      throw error;
    }
    return sidecar;
  }
}
