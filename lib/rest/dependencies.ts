import type { RateLimiter } from '../access/token-buckets.js';
import type { WorkLimits } from '../access/work-limits.js';
import type { CursorSealer } from '../access/seal-cursor.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Readiness } from '../domain/readiness.js';
import type { Log } from '../domain/log.js';
import type { DeferredAudit } from '../journal/deferred-audit.js';
import type { Workspace } from '../workspace/workspace.js';

/** The running service, as far as this face needs it. */
export interface RestDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly cursors: CursorSealer;
  readonly limiter: RateLimiter;
  readonly workLimits: WorkLimits;
  find(workspace: string): Workspace | undefined;
  names(): readonly string[];
  /** Whether the service can do its work. Never throws. */
  readiness(): Promise<Readiness>;
}

/** The running build of the program. */
export interface Build {
  readonly version: string;
  /** Forty hex digits; null when the build does not know. */
  readonly commit: string | null;
}

export interface RestOptions {
  readonly build: Build;
  readonly log: Log;
  /** Proxies in front with the right to name the client: their number, or their addresses. */
  readonly trustProxy: number | readonly string[];
  /** Web origins whose pages may call; none by default. */
  readonly corsOrigins: readonly string[];
  /** Whether answers are checked against the description as well as requests. */
  readonly validateResponses: boolean;
  /** The path prefix of a proxy in front, without a slash at its end; none when left out. */
  readonly base?: string;
  /** Takes the records made after the answer: refused attempts, and a key's last use. */
  readonly later: DeferredAudit;
}
