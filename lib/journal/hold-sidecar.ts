import type { Clock } from '../domain/clock.js';
import { unavailable } from '../domain/refusal.js';
import type { Sidecar } from '../sidecar/sidecar.js';

/** Milliseconds before opening a faulty file is tried again. */
const reopenInterval = 1000;

export interface HoldOptions {
  readonly openSidecar: () => Sidecar;
  readonly clock: Clock;
  /** Called with the file as it was opened, before anybody else has it; where it throws, the file counts as unopened. */
  readonly onOpened: (sidecar: Sidecar) => void;
  /** Called with the cause when it could not be closed, or opened again. */
  readonly onFault: (cause: unknown) => void;
}

/** A workspace's file, which is opened anew after a fault: whenever somebody asks for it, though not all the time. */
export class HeldSidecar {
  readonly #options: HoldOptions;
  #sidecar: Sidecar | undefined;
  /** When opening the file was last tried. */
  #triedAt = Number.NEGATIVE_INFINITY;
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

  /** After a fault: what is uncommitted is dropped, and the truth is read from disk again, now or when it can be. */
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
      // It was reported; from here on it is tried again whenever somebody asks.
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
    if (this.#isClosed || now - this.#triedAt < reopenInterval) throw unavailable();
    this.#triedAt = now;
    try {
      this.#sidecar = this.#open();
    } catch (error) {
      this.#options.onFault(error);
      throw unavailable(error);
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
