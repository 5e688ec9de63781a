import type { IncomingMessage } from 'node:http';
import type { RateLimiter } from '../access/token-buckets.js';
import type { WorkLimits } from '../access/work-limits.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Log } from '../domain/log.js';
import type { RequestObserver } from '../http/log-when-done.js';
import type { DeferredAudit } from '../journal/deferred-audit.js';
import type { Workspace } from '../workspace/workspace.js';

/** The running service, as far as this face needs it. */
export interface RemoteDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly limiter: RateLimiter;
  readonly workLimits: WorkLimits;
  find(workspace: string): Workspace | undefined;
}

export interface RemoteOptions {
  readonly log: Log;
  /** Takes the records made after the answer: refused attempts, and a key's last use. */
  readonly later: DeferredAudit;
  /** The client's address, according to the trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly observer?: RequestObserver | undefined;
}
