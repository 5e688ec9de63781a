import type { Policy } from '../domain/policy.js';
import type { Allowance, RateLimiter } from './token-buckets.js';

/** The allowance that a request is taken from. */
export interface RatedSource {
  readonly workspace: string;
  /** The credential's id, or another name of the caller. */
  readonly source: string;
  /** Requests a minute for it alone; null takes the workspace's policy. */
  readonly requestsPerMinute: number | null;
  readonly policy: Policy;
}

/** Takes one request from an allowance: the source's own rate, or the workspace's (the specification's Limits). */
export function limitRate(
  limiter: RateLimiter,
  { workspace, source, requestsPerMinute, policy }: RatedSource,
): Allowance {
  const perMinute = requestsPerMinute ?? policy.requestsPerMinute;
  const burst = requestsPerMinute === null ? policy.burst : burstOf(requestsPerMinute, policy);
  return limiter.take('credential', `${workspace}/${source}`, perMinute, burst);
}

/** A key with a rate of its own may send as large a part of it at once as the workspace's keys, and no less than they. */
function burstOf(requestsPerMinute: number, policy: Policy): number {
  const part = Math.round((requestsPerMinute * policy.burst) / policy.requestsPerMinute);
  return Math.max(1, part, Math.min(policy.burst, requestsPerMinute));
}
