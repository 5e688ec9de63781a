import { createHash } from 'node:crypto';
import type { Steps } from '../../scheduling/in-steps.js';

/** More removals than this part of the documents wait for approval. */
const maxShare = 0.3;
/** So many removals never wait, except the last ones. */
const fewRemovals = 20;

/** Milliseconds for which removals are remembered. */
export const removalsCount = 24 * 60 * 60_000;

/** A change that waits for approval. */
export interface HeldChange {
  /** Of exactly this change. */
  readonly fingerprint: string;
  /** What it is and what to do, for people. It names no document. */
  readonly message: string;
}

/**
 * How many documents may be deleted without an approval.
 * @param before documents before
 * @param recent documents deleted in the time for which removals count
 */
export function maxRemovals(before: number, recent: number): number {
  const most = Math.max(fewRemovals, Math.floor(maxShare * (before + recent)));
  return Math.max(0, Math.min(before - 1, most - recent));
}

/**
 * The fingerprint and the message of a mass removal. An approval covers the removal of exactly these documents, so
 * every other removal has another fingerprint.
 * @param recent documents deleted in the time for which removals count
 * @param live files that the source holds
 * @param removed paths, in the order of the rows
 */
export function* describeRemoval(
  { before, recent, live }: { readonly before: number; readonly recent: number; readonly live: number },
  removed: Iterable<string>,
): Steps<HeldChange> {
  const hash = createHash('sha256');
  let count = 0;
  for (const path of removed) {
    hash.update(`${path}\0`);
    count += 1;
    yield;
  }
  const fingerprint = hash.digest('hex');
  const what =
    live === 0
      ? `The source holds no file any more. All ${count} mirrored documents would be deleted.`
      : `${count} of ${before} mirrored documents would be deleted, because their files are gone from the source.`;
  const earlier = recent === 0 ? '' : ` In the last 24 hours ${recent} were deleted already.`;
  return { fingerprint, message: `${what}${earlier} Look at the source first. Approve it if that is right.` };
}
