import type { OAuthScope } from './access-token.js';

/** A person's consent: a client may act as them in one workspace. All its tokens hang on it. */
export interface OAuthGrant {
  readonly id: string;
  readonly identityId: string;
  readonly workspace: string;
  readonly principalId: string;
  readonly clientId: string;
  /** The client's name for itself: a client may take any name. */
  readonly clientName: string;
  /** Where its answers go: host and port, or the scheme of an application. */
  readonly redirectHost: string;
  readonly scopes: readonly OAuthScope[];
  /** Milliseconds since 1970, as are the others. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Coarse: rounded down to the minute. */
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}
