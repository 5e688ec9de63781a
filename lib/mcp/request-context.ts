import type { CursorSealer } from '../access/seal-cursor.js';
import type { OAuthScope } from '../domain/access-token.js';
import type { Caller } from '../domain/caller.js';
import type { Refusal } from '../domain/refusal.js';
import type { Workspace } from '../workspace/workspace.js';

/** One request on its way through this face, and the facts found about it. */
export interface RequestContext {
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly cursors: CursorSealer;
  /** The owner of its cursors. */
  readonly owner: string;
  /** The scopes of an OAuth token; a key has both. */
  readonly scopes: readonly OAuthScope[];
  /** Set where the caller has to wait: the answer of any tool, which is not called. */
  readonly refusal?: Refusal;
  /** Whether the key or token still opens this face: for an answer that goes on. */
  readonly isInForce: () => boolean;
  /** Whether the carrier keeps the subscriptions of a client of 2025, since no state is stored here. */
  readonly keepsSubscriptions: boolean;
  /** The called tool, once it is known. */
  tool?: string;
  /** For the log's observer: the refusal in the answer. */
  refused?: Refusal;
  /** Set where a call needs a scope beyond the token's: the HTTP answer is a challenge then. */
  lacking?: OAuthScope;
  /** Aborted when the connection ends before the answer has left. */
  departure(this: void): AbortSignal;
  /** Counts work as so many requests more of the caller's rate. Called before the answer is sent. */
  charge(this: void, requests: number): void;
  /** Receives the cause of an internal fault, which the caller does not see. */
  onFault(cause: unknown): void;
}
