import type { Reason } from './reason.js';

/** A file of a push that was refused, and so the push as a whole. */
export interface RefusedFile {
  /** As it was pushed. It can be no location at all, and hold any characters. */
  readonly location: string;
  /** The client's id of the commit that does it. */
  readonly commit: string;
  readonly reason: Reason;
  /** Why, in words fit for the caller. */
  readonly sentence: string;
  /** What to do, in one sentence. */
  readonly remedy: string;
}
