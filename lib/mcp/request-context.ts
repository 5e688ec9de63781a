import type { CursorSealer } from '../access/seal-cursor.js';
import type { OAuthScope } from '../domain/access-token.js';
import type { Caller } from '../domain/caller.js';
import type { Workspace } from '../workspace/workspace.js';

/** One request on its way through this face, and what is found out about it. */
export interface RequestContext {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly cursors: CursorSealer;
  /** Whom cursors belong to. */
  readonly owner: string;
  /** What an OAuth token allows; a key allows both. */
  readonly scopes: readonly OAuthScope[];
  /** The tool that was called, once it is known to be one of ours. */
  tool?: string;
  /** Set where a call needs a scope that the token lacks: the HTTP answer is a challenge then. */
  lacking?: OAuthScope;
  /** Told of what failed inside, with what the caller is not told. */
  onFault(cause: unknown): void;
}
