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
  const burst = requestsPerMinute === null ? policy.burst : Math.max(1, Math.min(policy.burst, requestsPerMinute));
  return limiter.take('credential', `${workspace}/${source}`, perMinute, burst);
}
