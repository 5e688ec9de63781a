import { createHash } from 'node:crypto';
import type { Steps } from '../../scheduling/in-steps.js';

/** More removals than this part of the documents wait for approval. */
const mostOf = 0.3;
/** So many removals never wait, except the last ones. */
const fewRemovals = 20;

/** A change that waits until somebody approves it. */
export interface HeldChange {
  /** Of exactly this change. */
  readonly fingerprint: string;
  /** What it is and what to do, for people. It names no document. */
  readonly message: string;
}

/** Whether so many removals have to be approved. @param before documents before */
export function isMassRemoval(before: number, removals: number): boolean {
  if (removals === 0) return false;
  return removals === before || (removals > fewRemovals && removals > mostOf * before);
}

/**
 * The fingerprint and the message of a mass removal. Whoever approves it approves the removal of these documents, so
 * every other removal has another fingerprint.
 * @param live files that the source holds
 * @param removed paths, in the order of the rows
 */
export function* describeRemoval(before: number, live: number, removed: Iterable<string>): Steps<HeldChange> {
  const hash = createHash('sha256');
  let count = 0;
  for (const path of removed) {
    hash.update(`${path}\0`);
    count += 1;
    if (count % 1000 === 0) yield;
  }
  const fingerprint = hash.digest('hex');
  const what =
    live === 0
      ? `The source holds no file any more. All ${count} mirrored documents would be deleted.`
      : `${count} of ${before} mirrored documents would be deleted, because their files are gone from the source.`;
  return { fingerprint, message: `${what} Look at the source first. Approve it if that is right.` };
}
