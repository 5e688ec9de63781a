/**
 * Whether the service can do its work, for load balancers and monitors. Each part has a word. No part says anything
 * about a single workspace, its name, or how many there are.
 */
export interface Readiness {
  readonly isReady: boolean;
  /** `failed`: a workspace's database cannot be opened, or did not take the last writes. */
  readonly journal: 'ok' | 'failed';
  /** `moved`: the data folder is not where it was when the service started. */
  readonly disk: 'ok' | 'low' | 'full' | 'moved';
  /**
   * `behind`: commits wait for a repository that cannot be written. They are safe, and clones lack them. `faulty`:
   * maintenance met damaged files, or fails. All else works, so the service is ready.
   */
  readonly repository: 'ok' | 'behind' | 'faulty';
  /** `none`: there is no workspace. `failed`: one cannot be opened. */
  readonly workspaces: 'ok' | 'none' | 'failed';
  /**
   * The copy elsewhere. `off`: there is none. `behind`: changes wait for a bucket that cannot be reached; all else works,
   * so the service is ready. `superseded`: another machine has taken over.
   */
  readonly copy: 'off' | 'ok' | 'behind' | 'superseded';
}

/** Commits of a workspace that wait for its repository, because it could not be written. */
export interface RepositoryLag {
  readonly workspace: string;
  readonly objects: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Why the last attempt failed. */
  readonly reason: string;
}

/** What stands in the way of the maintenance of a workspace's repository. */
export interface RepositoryFault {
  readonly workspace: string;
  /** A sentence, without a stop. */
  readonly obstacle: string;
}
