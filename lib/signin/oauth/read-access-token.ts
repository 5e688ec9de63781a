import type { AccessToken, OAuthScope, ReadAccessToken } from '../../domain/access-token.js';
import { findLiveGrant } from './live-grant.js';
import type { OAuthHost } from './host.js';
import { hashId, openEntry } from './seal-entry.js';

/** Of what an access token carries, what decides. */
interface AccessTokenContent {
  readonly clientId: string;
  readonly aud?: string;
  readonly scope?: string;
}

const kind = 'AccessToken';
const scopes: readonly OAuthScope[] = ['org:read', 'org:write'];
const minute = 60_000;

/**
 * Reads access tokens that were issued for a resource, for the face that is that resource.
 * @param audience the resource's canonical address (RFC 8707): tokens for anything else are none
 */
export function makeAccessTokenReader(host: OAuthHost, audience: string): ReadAccessToken {
  return (token): AccessToken | undefined => {
    const idHash = hashId(kind, token);
    const entry = host.file.oauth.findEntry(kind, idHash);
    const now = host.clock.now();
    if (entry === undefined || entry.grantId === null || entry.expiresAt === null || entry.expiresAt <= now) {
      return undefined;
    }
    const grant = findLiveGrant(host, entry.grantId);
    if (grant === undefined) return undefined;
    const content = openEntry(kind, token, entry.content) as AccessTokenContent;
    if (content.aud !== audience) return undefined;
    const granted = new Set(content.scope?.split(' '));
    const used = now - (now % minute);
    if (grant.lastUsedAt !== used) host.file.oauth.noteUse(grant.id, used);
    return {
      workspace: grant.workspace,
      principalId: grant.principalId,
      identityId: grant.identityId,
      scopes: scopes.filter((scope) => granted.has(scope)),
      id: grant.id,
      clientId: content.clientId,
      expiresAt: entry.expiresAt,
    };
  };
}
