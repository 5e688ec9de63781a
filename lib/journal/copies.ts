import type { FollowStatus } from '../domain/follow-status.js';
import type { Refusal } from '../domain/refusal.js';

/** What a service that is copied elsewhere asks of the one who copies it. */
export interface Copies {
  /** Whether somebody keeps them now: then it is kept track of which pages change. */
  readonly areKept: boolean;
  /** How far they are; undefined where nobody keeps them now. */
  readonly status: FollowStatus | undefined;
  /** Why nothing may be written any more: another machine has taken over. Undefined while all is well. */
  refusal(): Refusal | undefined;
  /**
   * Removes from the workspace's own file what opens the copies of files that are gone. To be called before bytes of
   * deleted rows are overwritten there: the copy made by `forgetPast` has these bytes, too.
   * @throws the obstacle, and `signal`'s reason
   */
  forgetKeys(workspace: string, signal: AbortSignal): Promise<void>;
  /**
   * Makes the copies of a workspace's past unreadable, and removes them. Resolves when none is left.
   * @throws the obstacle, and `signal`'s reason
   */
  forgetPast(workspace: string, signal: AbortSignal): Promise<void>;
}

/** @throws Refusal UNAVAILABLE when another machine has taken over */
export function requireWritable(copies: Copies | undefined): void {
  const refusal = copies?.refusal();
  if (refusal !== undefined) throw refusal;
}
