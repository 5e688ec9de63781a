/** The most that an OAuth token may do (RFC 6749 §3.3). The grants of its person decide what it reaches. */
export type OAuthScope = 'org:read' | 'org:write';

/** A live access token, as found by its hash: its person and its lifetime. Never the token itself. */
export interface AccessToken {
  readonly workspace: string;
  /** The bearer acts as this person of that workspace. */
  readonly principalId: string;
  /** The signed-in identity; the same for all its workspaces. */
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
 * Looks a token up, again for each request.
 * @param noteRefused gets an issued token that is refused, as long as its row is stored
 * @returns undefined for an unknown, expired or revoked token, or one whose person may no longer come in
 */
export type ReadAccessToken = (token: string, noteRefused?: (refused: RefusedToken) => void) => AccessToken | undefined;
