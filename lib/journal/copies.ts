import type { FollowStatus } from '../domain/follow-status.js';
import type { Refusal } from '../domain/refusal.js';

/** What a service that is copied elsewhere asks of the one who copies it. */
export interface Copies {
  /** How far they are; undefined where nobody keeps them now. */
  readonly status: FollowStatus | undefined;
  /** Why nothing may be written any more: another machine has taken over. Undefined while all is well. */
  refusal(): Refusal | undefined;
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
