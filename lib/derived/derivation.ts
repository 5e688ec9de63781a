import type { Oid } from '../git/objects/objects.js';
import type { GitProgram } from '../git/program/git-program.js';

/** What one derivation works on. It is sent to a worker thread. */
export interface DeriveOrder {
  /** The workspace's name, for the authors' addresses. */
  readonly workspace: string;
  readonly principalId: string;
  /** The sidecar's file. */
  readonly sidecar: string;
  /** The folder of the workspace's own repository. */
  readonly content: string;
  /** The principal's folder below `derived`. It need not exist. */
  readonly folder: string;
  readonly git: GitProgram;
  /** False while the disk is low: then it serves what is there, if nothing is to be added, and fails with ENOSPC otherwise. */
  readonly hasRoom?: boolean;
}

/** Why a repository was made again, and an earlier one destroyed. */
export type MadeAnew =
  /** There was none. */
  | 'first'
  /** The principal may read less than it held. */
  | 'narrowed'
  /** A document went to where the principal cannot read. */
  | 'moved'
  /** A document that it held was erased, or is being erased. */
  | 'erased'
  /** Its files were not what its state says. */
  | 'damaged';

/** A derived repository that holds what the principal could read at the moment of the snapshot. */
export interface Derived {
  /** The bare repository's folder. */
  readonly repository: string;
  /** What refs/heads/main names. Null when there was never anything to read. */
  readonly head: Oid | null;
  /** The head that it had when it was last made from nothing. */
  readonly began: Oid | null;
  /** Null when the earlier one grew, or had nothing to grow by. */
  readonly madeAnew: MadeAnew | null;
  /** The documents in its newest commit. */
  readonly documents: number;
  /** The commits that this call added. */
  readonly commits: number;
}
