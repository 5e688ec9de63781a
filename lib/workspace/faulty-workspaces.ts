import type { Clock } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import { unavailable, type Refusal } from '../domain/refusal.js';
import type { Workspace } from './workspace.js';

interface Faulty {
  cause: unknown;
  triedAt: number;
  /** Resolves when none is being opened. */
  opening: Promise<void> | undefined;
}

/** Milliseconds between two attempts at opening a workspace that could not be opened. */
const tryAgainAfter = 2000;

/**
 * Workspaces that could not be opened. They keep nobody from the others: whoever asks for one is told to come again,
 * and being asked for makes it be tried again in the background, so that it is there when its fault is gone.
 */
export class FaultyWorkspaces {
  readonly #open: (name: string) => Promise<Workspace>;
  readonly #opened: (workspace: Workspace) => void;
  readonly #onFault: (what: string, cause: unknown) => void;
  readonly #clock: Clock;
  readonly #faulty = new Map<string, Faulty>();
  #isClosed = false;

  /** @param opened given the workspace once it could be opened after all */
  constructor(
    open: (name: string) => Promise<Workspace>,
    opened: (workspace: Workspace) => void,
    onFault: (what: string, cause: unknown) => void,
    clock: Clock,
  ) {
    this.#open = open;
    this.#opened = opened;
    this.#onFault = onFault;
    this.#clock = clock;
  }

  get names(): string[] {
    return [...this.#faulty.keys()];
  }

  add(name: string, cause: unknown): void {
    this.#report(name, cause);
    this.#faulty.set(name, { cause, triedAt: this.#clock.elapsed(), opening: undefined });
  }

  /** @returns what to tell whoever asks for the workspace; undefined when it is not among these */
  refusalFor(name: string): Refusal | undefined {
    const faulty = this.#faulty.get(name);
    if (faulty === undefined) return undefined;
    if (faulty.opening === undefined && !this.#isClosed && this.#clock.elapsed() - faulty.triedAt >= tryAgainAfter) {
      faulty.opening = this.#tryAgain(name, faulty);
    }
    return unavailable(faulty.cause);
  }

  /** For a workspace that was put in place anew. */
  forget(name: string): void {
    this.#faulty.delete(name);
  }

  /** Resolves when none is being opened any more; none will be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { opening } of this.#faulty.values()) await opening;
  }

  async #tryAgain(name: string, faulty: Faulty): Promise<void> {
    try {
      const workspace = await this.#open(name);
      this.#faulty.delete(name);
      this.#opened(workspace);
    } catch (cause) {
      if (String(cause) !== String(faulty.cause)) this.#report(name, cause);
      faulty.cause = cause;
      faulty.triedAt = this.#clock.elapsed();
      faulty.opening = undefined;
    }
  }

  #report(name: string, cause: unknown): void {
    const reason = describeError(cause);
    this.#onFault(`The workspace ${name} cannot be served: ${reason}`, cause);
  }
}
