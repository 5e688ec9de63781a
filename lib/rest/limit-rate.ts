import type { Allowance, RateLimiter } from '../access/rate-limit.js';
import type { Recognised } from './authenticate-request.js';

/** Takes one request from the key's allowance: its own rate, or the workspace's (the specification's Limits). */
export function limitRate(limiter: RateLimiter, { workspace, credential, policy }: Recognised): Allowance {
  const own = credential.requestsPerMinute;
  const perMinute = own ?? policy.requestsPerMinute;
  const burst = own === null ? policy.burst : Math.max(1, Math.min(policy.burst, own));
  return limiter.take(`credential:${workspace.name}/${credential.id}`, perMinute, burst);
}
