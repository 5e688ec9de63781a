import type { Server } from '@modelcontextprotocol/server';
import type { RateLimiter } from '../access/token-buckets.js';
import type { WorkLimits } from '../access/work-limits.js';
import type { CursorSealer } from '../access/seal-cursor.js';
import type { ReadAccessToken } from '../domain/access-token.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Log } from '../domain/log.js';
import type { RequestObserver } from '../http/log-when-done.js';
import type { DeferredAudit } from '../journal/deferred-audit.js';
import type { Workspace } from '../workspace/workspace.js';
import type { ToolEntry } from './tool.js';
import type { RequestContext } from './request-context.js';

/** The running service, as far as this face needs it. */
export interface McpDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly cursors: CursorSealer;
  readonly limiter: RateLimiter;
  readonly workLimits: WorkLimits;
  find(workspace: string): Workspace | undefined;
}

export interface McpOptions {
  /** Of the program. */
  readonly version: string;
  readonly log: Log;
  /** The service's public address, without a slash at the end: clients sign in there. */
  readonly publicUrl: string;
  /** Web origins whose pages may call, beside the service's own. */
  readonly corsOrigins: readonly string[];
  /** Takes the records made after the answer: refused attempts, and a key's last use. */
  readonly later: DeferredAudit;
  readonly observer?: RequestObserver | undefined;
  /** Looks up the tokens of people's applications; left out: keys alone are accepted. */
  readonly readAccessToken?: ReadAccessToken | undefined;
  /** The table of tools; left out: ours. */
  readonly tools?: readonly ToolEntry[];
  /**
   * Makes the protocol's server for one request, over the same carrier; left out: ours, with the tools and documents.
   */
  readonly serve?: ((context: RequestContext, era: 'legacy' | 'modern') => Server) | undefined;
}
