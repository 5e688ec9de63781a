import { readPolicy } from '../access/read-policy.js';
import { boundsFor } from '../git/program/git-bounds.js';
import { boundGit, type ForeignGit, type GitProgram } from '../git/program/git-program.js';
import type { Tables } from '../sidecar/tables.js';

/** What one git of a derivation works on. */
export interface DerivedExtent {
  /** Commits that it writes. */
  readonly commits: number;
  /** Documents that the repository shows: each commit writes the folders anew that lead to its own. */
  readonly documents: number;
  /** Bytes of all contents, unpacked, or of the packs. */
  readonly bytes: number;
  /** Objects of the packs, where it reads some. */
  readonly objects?: number;
}

/** Seconds that git has for the smallest derivation, on a machine with much else to do. */
const leastTime = 600;
/** Objects of a commit: itself, a content, and the folders on the way to it. */
const ofCommit = 10;
/** Bytes of an entry of a folder, with a name of some length. */
const bytesOfEntry = 64;
/** Bytes of folders that git writes in a second at the least. */
const folderBytesInSecond = 4 * 1024 * 1024;
/** Contents of the largest size that git holds at once: one, what it is a delta of, and what it becomes. */
const heldAtOnce = 3;

/**
 * git for a derivation: the contents that it reads, and the packs that pushes brought, are a stranger's. An honest
 * workspace of this extent passes. A fetch waits for it, so its priority is the usual one.
 * @param tables of the workspace, for the size that one document may have
 */
export function boundDerivation(
  program: GitProgram,
  tables: Tables,
  { commits, documents, bytes, objects = 0 }: DerivedExtent,
): ForeignGit {
  const { largestBlob } = readPolicy(tables);
  const all = { objects: objects + documents + commits * ofCommit, bytes };
  const { memory, allocation, time } = boundsFor(all, leastTime);
  const folders = Math.ceil((commits * documents * bytesOfEntry) / folderBytesInSecond);
  const bounds = {
    memory: memory + heldAtOnce * largestBlob,
    allocation: allocation + largestBlob,
    time: time + folders,
  };
  return boundGit(program, bounds, true);
}
