/** What an OAuth token may do at most (RFC 6749 §3.3); what it reaches is decided by its person's grants. */
export type OAuthScope = 'org:read' | 'org:write';

/** A live access token, as its hash found it: who it acts as, and for how long. Never the token itself. */
export interface AccessToken {
  readonly workspace: string;
  /** The person of that workspace as whom the bearer acts. */
  readonly principalId: string;
  /** Who signed in; the same for all workspaces that they are in. */
  readonly identityId: string;
  readonly scopes: readonly OAuthScope[];
  /** Names the token in records; says nothing about the token. */
  readonly id: string;
  readonly clientId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** An access token that was issued and opens nothing: for the audit log, never for the caller. */
export interface RefusedToken {
  readonly workspace: string;
  /** Names the token in records. */
  readonly id: string;
  readonly fault: 'expired' | 'revoked' | 'principal_disabled' | 'wrong_interface';
}

/**
 * Looks a token up, anew for each request.
 * @param noteRefused told of one that was issued and is refused, as long as its row is kept
 * @returns undefined for one that is unknown, expired or revoked, or whose person may no longer come in
 */
export type ReadAccessToken = (token: string, noteRefused?: (refused: RefusedToken) => void) => AccessToken | undefined;
