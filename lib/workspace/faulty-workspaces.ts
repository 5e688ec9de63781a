import type { Clock } from '../domain/clock.js';
import { describeError } from '../domain/describe-error.js';
import { unavailable, type Refusal } from '../domain/refusal.js';
import { WorkspaceUnsound } from '../journal/recover.js';
import type { Workspace } from './workspace.js';

interface Faulty {
  cause: unknown;
  triedAt: number;
  /** Resolves when no attempt is in progress. */
  opening: Promise<void> | undefined;
}

/** Milliseconds between two attempts to open a faulty workspace. */
const tryAgainAfter = 2000;

/**
 * Workspaces that could not be opened. The other workspaces work. A caller gets UNAVAILABLE, and the request makes the
 * service try again in the background. So the workspace is back when its fault is gone.
 */
export class FaultyWorkspaces {
  readonly #open: (name: string) => Promise<Workspace>;
  readonly #opened: (workspace: Workspace) => void;
  readonly #onFault: (what: string, cause: unknown) => void;
  readonly #clock: Clock;
  readonly #faulty = new Map<string, Faulty>();
  #isClosed = false;

  /** @param opened receives a workspace that could be opened after all */
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

  /** @returns the refusal for the workspace's callers; undefined for a workspace not among these */
  refusalFor(name: string): Refusal | undefined {
    const faulty = this.#faulty.get(name);
    if (faulty === undefined) return undefined;
    if (faulty.opening === undefined && !this.#isClosed && this.#clock.elapsed() - faulty.triedAt >= tryAgainAfter) {
      faulty.opening = this.#tryAgain(name, faulty);
    }
    return unavailable(faulty.cause);
  }

  /** For a workspace restored in its place. */
  forget(name: string): void {
    this.#faulty.delete(name);
  }

  /** For a workspace that goes for good. Resolves when no attempt to open it is in progress; none will follow. */
  async release(name: string): Promise<void> {
    await this.#faulty.get(name)?.opening;
    this.#faulty.delete(name);
  }

  /** Resolves when no attempt is in progress. None will follow. */
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
    // What is known to be missing has its remedy in the reason, and its origin helps nobody.
    this.#onFault(
      `The workspace ${name} cannot be served: ${reason}`,
      cause instanceof WorkspaceUnsound ? undefined : cause,
    );
  }
}
