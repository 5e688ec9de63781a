import type { RefusedToken } from '../../domain/access-token.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import type { OAuthDependencies } from './oauth-dependencies.js';

/** A consent, and the reason why its tokens open nothing; undefined where they do. */
export interface JudgedGrant {
  readonly grant: OAuthGrant;
  readonly fault: Exclude<RefusedToken['fault'], 'wrong_interface'> | undefined;
}

/**
 * The consent, and whether it is in force now: neither ended nor expired. The person must still be in its workspace, as
 * the same principal, not disabled there. Decided again for each use of its tokens.
 * @returns undefined when there is none
 * @throws Refusal UNAVAILABLE when the workspace exists and could not be opened
 */
export function judgeGrant(host: OAuthDependencies, grantId: string): JudgedGrant | undefined {
  const grant = host.file.oauth.findGrant(grantId);
  if (grant === undefined) return undefined;
  if (grant.revokedAt !== null) return { grant, fault: 'revoked' };
  if (grant.expiresAt <= host.clock.now()) return { grant, fault: 'expired' };
  const isMember = host
    .membershipsOf(grant.identityId)
    .some(({ workspace, principalId }) => workspace === grant.workspace && principalId === grant.principalId);
  if (!isMember) return { grant, fault: 'principal_disabled' };
  const principal = host.find(grant.workspace)?.journal.reader.principals.find(grant.principalId);
  const isDisabled = principal === undefined || principal.disabledAt !== null;
  return { grant, fault: isDisabled ? 'principal_disabled' : undefined };
}

/**
 * The consent, if it is in force now.
 * @throws Refusal UNAVAILABLE when the workspace exists and could not be opened
 */
export function findLiveGrant(host: OAuthDependencies, grantId: string): OAuthGrant | undefined {
  const judged = judgeGrant(host, grantId);
  return judged?.fault === undefined ? judged?.grant : undefined;
}
