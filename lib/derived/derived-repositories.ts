import { readReach } from '../access/reach.js';
import { rootLocation } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import type { Oid } from '../git/objects/objects.js';
import { findGit, isUsableGit } from '../git/program/git-program.js';
import type { Tables } from '../sidecar/tables.js';
import { isStillTrue, readBasis } from './basis.js';
import type { DerivedWorkspace } from './derived-workspace.js';
import type { PreparedRepository } from './served-repository.js';

/** Keeps a repository's folder while it is read. */
export interface Hold {
  /** Aborted with a Refusal when the reading has to end: an erase destroys what it reads, or the service stops. */
  readonly signal: AbortSignal;
  /** May be called twice. */
  release(): void;
}

/** A folder for what one push sends. Nobody else sees it. */
export interface Quarantine {
  /** Empty at first, and closed to other accounts. */
  readonly folder: string;
  /** Aborted with a Refusal when the push has to end. */
  readonly signal: AbortSignal;
  /** Removes it. Does nothing after it was announced. May be called twice. */
  drop(): Promise<void>;
}

/** A push whose transaction is about to run. Nothing else happens to the principal's repository meanwhile. */
export interface AnnouncedPush {
  /**
   * To be called when the transaction has ended, however it ended. If the push was recorded, its commits become the
   * head of the derived repository; otherwise they go.
   * @returns the head of the repository now
   */
  settle(): Promise<Oid | null>;
}

/** Keeps the repositories that principals clone. */
export class DerivedRepositories {
  readonly #workspace: DerivedWorkspace;
  readonly #folder: string | null;

  /** @param folder null in memory */
  constructor(workspace: DerivedWorkspace, folder: string | null) {
    this.#workspace = workspace;
    this.#folder = folder;
  }

  /**
   * Brings the principal's repository up to date. Requests that wait for the same one share the work, and it goes on
   * when they are gone.
   * @throws Refusal INVALID_REQUEST `git_missing`; UNAVAILABLE, `storage_full` among others; the signal's reason
   */
  async prepare(
    principalId: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<PreparedRepository> {
    const { checkpointer, journal, repository } = this.#workspace;
    const place = await this.#requirePlace();
    signal?.throwIfAborted();
    const basis = readBasis(journal.reader, principalId);
    if (!readReach(journal.reader, principalId).holds('approver', rootLocation)) {
      throw invalidRequest('git_missing', 'This service serves no part of a workspace by git yet.');
    }
    await checkpointer.run();
    return { path: place, head: await repository.head(), isOwn: true, principalId, basis };
  }

  /**
   * Whether nothing that it holds was taken away from its principal since it was prepared. Writes that it lacks do not
   * count. For the transaction of the record.
   */
  isCurrent(tables: Tables, { principalId, basis }: PreparedRepository): boolean {
    return isStillTrue(tables, principalId, basis);
  }

  /** To be called in the turn in which `prepare` resolves or `isCurrent` holds, and released at any end of the reading. */
  hold(_prepared: PreparedRepository): Hold {
    return { signal: new AbortController().signal, release: () => undefined };
  }

  /**
   * A folder for what a push to the prepared repository sends.
   * @throws Refusal UNAVAILABLE when too much is being pushed, or the disk has no room
   */
  openQuarantine(_prepared: PreparedRepository): Promise<Quarantine> {
    return Promise.reject(invalidRequest('git_missing', 'This service takes no pushes yet.'));
  }

  /**
   * Keeps what a push sent until its transaction has ended, also across a crash. Waits for work on the same repository.
   * @param push the new head, and the name of the file of its pack in the folder without its ending
   * @returns null when the repository has another head by now: then the push is not a fast-forward any more
   * @throws Refusal UNAVAILABLE; the signal's reason
   */
  announce(
    _prepared: PreparedRepository,
    _quarantine: Quarantine,
    _push: { readonly head: Oid; readonly packs: readonly string[] },
  ): Promise<AnnouncedPush | null> {
    return Promise.resolve(null);
  }

  /**
   * Ends everything that reads or makes one of these documents, and destroys the repositories that hold one. To be
   * called when no state shows them any more.
   */
  async forget(_documentIds: readonly string[]): Promise<void> {}

  /** Removes what was not used for long, and what nobody may read any more. */
  async sweep(): Promise<void> {}

  /** Ends all work. */
  async close(): Promise<void> {}

  /** The folder of the workspace's own repository. @throws Refusal INVALID_REQUEST `git_missing` */
  async #requirePlace(): Promise<string> {
    const { place } = this.#workspace.repository;
    if (place === null || this.#folder === null) {
      throw invalidRequest(
        'git_missing',
        'This workspace is kept in memory, so git cannot clone it. Use a data folder.',
      );
    }
    const program = place.git === 'never' ? null : await findGit();
    if (program === null || !isUsableGit(program)) {
      const message =
        'This service runs without the git program, so nothing can be cloned. Its operator can install git.';
      throw invalidRequest('git_missing', message);
    }
    return place.path;
  }
}
