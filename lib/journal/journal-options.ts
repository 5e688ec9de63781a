import type { Clock, Randomness } from '../domain/clock.js';
import type { Refusal } from '../domain/refusal.js';
import type { Oid } from '../git/objects/objects.js';
import type { Tree } from '../git/objects/tree.js';
import type { Sidecar } from '../sidecar/sidecar.js';
import type { TreeCache } from './object-cache.js';
import type { WorkspaceState, WriteTransaction } from './write-transaction.js';

/** Counts groups of writes. Neither call may take long or throw. */
export interface JournalObserver {
  /** @param milliseconds that the commit took, with its sync to the disk */
  committed(writes: number, milliseconds: number): void;
  /** A group could not be committed. */
  failed(): void;
}

/** What a journal works with. */
export interface JournalOptions {
  /** Opens the workspace's file; called at the start and again after a fault. */
  readonly openSidecar: () => Sidecar;
  readonly trees: TreeCache;
  /** Fetches a tree that a write found missing from memory. */
  readonly loadTree: (oid: Oid) => Promise<Tree>;
  /** The disk of the workspace's file; left out or null, it is not watched. */
  readonly disk?: { readonly isShort: boolean } | null | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Called after each group that added git objects, with their bytes. */
  readonly onObjectsAdded: (bytes: number) => void;
  /**
   * The number up to which a checkpoint is moving pending objects; 0 while there is none. Those cannot be bases of new
   * deltas, because they will be in another pack. Left out: trees wait whole, since the repository takes no
   * deltas.
   */
  readonly movingUpTo?: () => number;
  /** Called in the group's transaction after each write, with the state before it. */
  readonly afterWrite?: (transaction: WriteTransaction, before: WorkspaceState) => void;
  /** Left out: nothing is counted. */
  readonly observer?: JournalObserver | undefined;
  /** Why nothing may be written any more; left out or undefined, everything may. Asked for each write. */
  readonly refusal?: (() => Refusal | undefined) | undefined;
  /** Called with the cause when a group could not be committed. */
  readonly onFault: (cause: unknown) => void;
}
