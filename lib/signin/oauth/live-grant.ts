import type { OAuthGrant } from '../../domain/oauth-grant.js';
import type { OAuthHost } from './host.js';

/**
 * The consent, if it is in force now: neither ended nor expired, and the person still in that workspace, as the same
 * principal, not disabled there. Decided anew for each use of what hangs on it.
 * @throws Refusal UNAVAILABLE when the workspace is there and could not be opened
 */
export function findLiveGrant(host: OAuthHost, grantId: string): OAuthGrant | undefined {
  const grant = host.file.oauth.findGrant(grantId);
  if (grant === undefined || grant.revokedAt !== null || grant.expiresAt <= host.clock.now()) return undefined;
  const isMember = host
    .membershipsOf(grant.identityId)
    .some(({ workspace, principalId }) => workspace === grant.workspace && principalId === grant.principalId);
  if (!isMember) return undefined;
  const principal = host.find(grant.workspace)?.journal.reader.principals.find(grant.principalId);
  return principal === undefined || principal.disabledAt !== null ? undefined : grant;
}
