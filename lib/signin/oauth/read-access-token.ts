import type { AccessToken, OAuthScope, ReadAccessToken, RefusedToken } from '../../domain/access-token.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { judgeGrant } from './live-grant.js';
import type { OAuthDependencies } from './oauth-dependencies.js';
import { hashId, openEntry } from './seal-entry.js';

/** The decisive content of an access token. */
interface AccessTokenContent {
  readonly clientId: string;
  readonly aud?: string;
  readonly scope?: string;
}

const kind = 'AccessToken';
const scopes: readonly OAuthScope[] = ['org:read', 'org:write'];
const minute = 60_000;

/**
 * Reads a resource's access tokens, for the face of that resource.
 * @param audience the resource's canonical address (RFC 8707): tokens for another audience are invalid
 */
export function makeAccessTokenReader(host: OAuthDependencies, audience: string): ReadAccessToken {
  return (token, noteRefused): AccessToken | undefined => {
    const idHash = hashId(kind, token);
    const entry = host.file.oauth.findEntry(kind, idHash);
    const now = host.clock.now();
    if (entry === undefined || entry.grantId === null || entry.expiresAt === null) return undefined;
    const refuse = (grant: OAuthGrant | undefined, fault: RefusedToken['fault']): undefined => {
      if (grant !== undefined) noteRefused?.({ workspace: grant.workspace, id: grant.id, fault });
      return undefined;
    };
    if (entry.expiresAt <= now) return refuse(host.file.oauth.findGrant(entry.grantId), 'expired');
    const judged = judgeGrant(host, entry.grantId);
    if (judged === undefined) return undefined;
    const { grant, fault } = judged;
    if (fault !== undefined) return refuse(grant, fault);
    const content = openEntry(kind, token, entry.content) as AccessTokenContent;
    if (content.aud !== audience) return refuse(grant, 'wrong_interface');
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
