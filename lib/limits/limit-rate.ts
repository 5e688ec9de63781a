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
export function limitRate(limiter: RateLimiter, rated: RatedSource): Allowance {
  return take(limiter, 'credential', rated);
}

/**
 * Takes one refusal from an allowance as large as that of requests. Within it, a refused request may be read, so that
 * its answer has the form of the protocol. Beyond it is a flood, which is refused unread.
 */
export function mayReadRefused(limiter: RateLimiter, rated: RatedSource): boolean {
  return take(limiter, 'over limit', rated).allowed;
}

/** Takes further requests from an allowance, for work of a request that was admitted. It may be owed afterwards. */
export function chargeRate(limiter: RateLimiter, rated: RatedSource, requests: number): Allowance {
  const { name, perMinute, burst } = bucketOf(rated);
  return limiter.charge('credential', name, perMinute, burst, requests);
}

function take(limiter: RateLimiter, kind: 'credential' | 'over limit', rated: RatedSource): Allowance {
  const { name, perMinute, burst } = bucketOf(rated);
  return limiter.take(kind, name, perMinute, burst);
}

function bucketOf({ workspace, source, requestsPerMinute, policy }: RatedSource) {
  return {
    name: `${workspace}/${source}`,
    perMinute: requestsPerMinute ?? policy.requestsPerMinute,
    burst: requestsPerMinute === null ? policy.burst : burstOf(requestsPerMinute, policy),
  };
}

/** A key with a rate of its own may send as large a part of it at once as the workspace's keys, and no less than they. */
function burstOf(requestsPerMinute: number, policy: Policy): number {
  const part = Math.round((requestsPerMinute * policy.burst) / policy.requestsPerMinute);
  return Math.max(1, part, Math.min(policy.burst, requestsPerMinute));
}
