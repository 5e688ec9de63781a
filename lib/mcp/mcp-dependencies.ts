import type { Server } from '@modelcontextprotocol/server';
import type { CursorSealer } from '../access/seal-cursor.js';
import type { ReadAccessToken } from '../domain/access-token.js';
import type { Clock } from '../domain/clock.js';
import type { CallerDependencies, CallerNotes } from '../http/serve-exchange.js';
import type { Workspace } from '../workspace/workspace.js';
import type { ToolEntry } from './tool.js';
import type { RequestContext } from './request-context.js';

/** The running service, as far as this face needs it. */
export interface McpDependencies extends CallerDependencies {
  readonly clock: Clock;
  readonly cursors: CursorSealer;
  find(workspace: string): Workspace | undefined;
}

export interface McpOptions extends CallerNotes {
  /** Of the program. */
  readonly version: string;
  /** The service's public address, without a slash at the end: clients sign in there. */
  readonly publicUrl: string;
  /** Web origins whose pages may call, beside the service's own. */
  readonly corsOrigins: readonly string[];
  /** Looks up the tokens of people's applications; left out: keys alone are accepted. */
  readonly readAccessToken?: ReadAccessToken | undefined;
  /** The table of tools; left out: ours. */
  readonly tools?: readonly ToolEntry[];
  /**
   * Makes the protocol's server for one request, over the same carrier; left out: ours, with the tools and documents.
   */
  readonly serve?: ((context: RequestContext, era: 'legacy' | 'modern') => Server) | undefined;
}
