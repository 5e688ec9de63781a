import { stat } from 'node:fs/promises';
import type { Tables } from '../sidecar/tables.js';
import type { DerivedFiles, DerivedWorkspace } from './derived-workspace.js';
import type { ReadLease } from './read-leases.js';
import type { Keeper } from './keeper.js';
import type { AnnouncedPush, PushToAnnounce, Quarantine } from './received-push.js';
import type { PreparedRepository } from './served-repository.js';

export type { ReadLease } from './read-leases.js';

interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Keeps the repositories that principals clone: one piece of work at a time for each. What does the work is loaded when
 * there is some: most commands never need it.
 */
export class DerivedRepositories {
  readonly #workspace: DerivedWorkspace;
  readonly #files: DerivedFiles | null;
  #loading: Promise<Keeper> | undefined;
  #keeper: Keeper | undefined;
  #isClosed = false;

  /** @param files null in memory */
  constructor(workspace: DerivedWorkspace, files: DerivedFiles | null) {
    this.#workspace = workspace;
    this.#files = files;
  }

  /**
   * Brings the principal's repository up to date. Requests that wait for the same one share the work, and it goes on
   * when they are gone. The workspace's own repository waits until it has nothing that is being erased.
   * @param waiting with whether a fetching client is answered with it
   * @throws Refusal INVALID_REQUEST `git_missing`; UNAVAILABLE, `storage_full` among others; INTERNAL; the signal's
   * reason
   */
  async prepare(
    principalId: string,
    waiting: Waiting & { readonly isTold?: boolean } = {},
  ): Promise<PreparedRepository> {
    const keeper = this.#keeper ?? (await this.#load());
    return keeper.prepare(principalId, waiting);
  }

  /**
   * The principal's repository as it was last brought up to date. Nothing is added to it where there is one that is
   * current: the writes of others must not overtake a push or a fetch between its requests.
   * @param waiting with the milliseconds since then after which it is brought up to date again
   * @throws Refusal as `prepare` does; the signal's reason
   */
  async present(
    principalId: string,
    waiting: Waiting & { readonly within?: number } = {},
  ): Promise<PreparedRepository> {
    const keeper = this.#keeper ?? (await this.#load());
    return keeper.present(principalId, waiting);
  }

  /**
   * The principal's repository as a fetch was last answered, with the head that a client of the principal can know.
   * Where nothing was sent, or something was taken away since, it is brought up to date.
   * @throws Refusal as `prepare` does; the signal's reason
   */
  async told(principalId: string, waiting: Waiting = {}): Promise<PreparedRepository> {
    return (this.#keeper ?? (await this.#load())).told(principalId, waiting);
  }

  /** @throws Refusal INVALID_REQUEST `git_missing`, where nothing can be cloned; UNAVAILABLE when the service stops */
  async requireGit(): Promise<void> {
    await (this.#keeper ?? (await this.#load())).requireFiles();
  }

  /**
   * Whether nothing that it holds was taken away from its principal since it was prepared. Writes that it lacks do not
   * count. For the transaction of the record.
   */
  isCurrent(tables: Tables, prepared: PreparedRepository): boolean {
    return this.#prepared.isCurrent(tables, prepared);
  }

  /**
   * A prepared repository as what goes on from an earlier head of it sees it: `isCurrent` tells whether nothing was taken
   * away since then. A derived repository alone has such heads.
   * @returns null where it is none of the last heads of its history, or something has left its place since
   */
  atHead(prepared: PreparedRepository, head: string | null): PreparedRepository | null {
    return this.#prepared.atHead(prepared, head);
  }

  /** To be called in the turn in which `prepare` resolves, and released at any end of the reading. */
  hold(prepared: PreparedRepository): ReadLease {
    return this.#prepared.hold(prepared);
  }

  /**
   * A folder for what a push to the prepared repository sends.
   * @throws Refusal UNAVAILABLE or RATE_LIMITED when too much is being pushed; `storage_full`
   */
  openQuarantine(prepared: PreparedRepository): Promise<Quarantine> {
    return this.#prepared.openQuarantine(prepared);
  }

  /**
   * Keeps what a push sent until its transaction has ended, also across a crash. Waits for work on the same repository.
   * @returns null when the repository was destroyed or made again since: then the push goes on from nothing
   * @throws Refusal UNAVAILABLE, `storage_full`; INTERNAL
   */
  announce(prepared: PreparedRepository, quarantine: Quarantine, push: PushToAnnounce): Promise<AnnouncedPush | null> {
    return this.#prepared.announce(prepared, quarantine, push);
  }

  /**
   * Ends everything that reads or makes a derived repository with one of these documents, and destroys those
   * repositories. To be called when no new snapshot shows the documents. May be repeated.
   * @throws the obstacle; then it is to be called again
   */
  async forget(documentIds: readonly string[]): Promise<void> {
    if (this.#files === null || documentIds.length === 0) return;
    await (await this.#load()).forget(documentIds);
  }

  /**
   * Resolves when no process has a file of the workspace's own repository open that was removed before the call. Those
   * that still do after a while are ended.
   */
  async letGo(options: { readonly within: number; readonly reason: Error }): Promise<void> {
    await this.#keeper?.letGo(options);
  }

  /** Takes note that no pack of the workspace's own repository has the content of these erases any more. */
  noteSwept(erasures: readonly number[]): void {
    this.#keeper?.noteSwept(erasures);
  }

  /** Runs work while no repository is being made, and so no snapshot of the workspace is held for one. */
  async keepOut<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#files === null ? work() : (await this.#load()).keepOut(work);
  }

  /**
   * Removes what was not used for long, what takes more than may be taken, and what nobody may read any more. It does
   * so at most every ten minutes.
   */
  async sweep(): Promise<void> {
    if (this.#files === null || this.#isClosed) return;
    const found = await stat(this.#files.folder).catch(() => undefined);
    if (found !== undefined) await (await this.#load()).sweep();
  }

  /** Ends all work, and everything that reads a repository. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#loading)?.close();
  }

  /** What prepared a repository: until there is one, nothing of it can be asked. */
  get #prepared(): Keeper {
    if (this.#keeper === undefined) throw new Error('No repository was prepared.');
    return this.#keeper;
  }

  #load(): Promise<Keeper> {
    this.#loading ??= this.#open();
    return this.#loading;
  }

  async #open(): Promise<Keeper> {
    const made = await import('./keeper.js');
    this.#keeper = new made.Keeper(this.#workspace, this.#files);
    if (this.#isClosed) await this.#keeper.close();
    return this.#keeper;
  }
}
