import type { Oid } from '../git/objects/objects.js';
import type { ReachSnapshot } from './reach-snapshot.js';

/** A repository that is served to one principal, as it was prepared for one request. */
export interface ServedRepository {
  /** The bare repository's folder. */
  readonly path: string;
  /** What refs/heads/main names. Null while there is nothing to read. */
  readonly head: Oid | null;
  /** The workspace's own repository, for an approver of the root. Otherwise a derived one. */
  readonly isOwn: boolean;
  /** The head with which a derived repository began, when it was last made from nothing. Null for an empty one. */
  readonly began: Oid | null;
}

/** A repository that was brought up to date for a principal, and what that was decided by. */
export interface PreparedRepository extends ServedRepository {
  readonly principalId: string;
  readonly basis: ReachSnapshot;
  /** Changes when a derived repository is destroyed or made again. */
  readonly life: number;
}
