import type { Clock } from '../domain/clock.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import type { ServiceFile } from '../sidecar/service-file.js';
import type { WorkspaceOrigin } from './workspace.js';

/** What the service's own file says of a workspace, asked anew each time. */
export function describeOrigin(
  name: string,
  file: ServiceFile,
  { clock, release }: { readonly clock: Clock; readonly release?: string },
): WorkspaceOrigin {
  return {
    release: release ?? 'unknown',
    readServicePart: () => file.readPart(name) ?? { workspace: name, createdAt: clock.now(), keys: [] },
    hasPassword(principalId) {
      const { identities } = file.people;
      const membership = identities.findMembership(name, principalId);
      return membership !== undefined && typeof identities.find(membership.identityId)?.passwordHash === 'string';
    },
    endSignIns(principalId, at) {
      const { identities, sessions, links, oauth } = file.people;
      const identityId = identities.findMembership(name, principalId)?.identityId;
      if (identityId === undefined) return { sessions: 0, consents: 0 };
      const isHere = (grant: OAuthGrant): boolean => grant.workspace === name && grant.principalId === principalId;
      return file.people.within(() => {
        const consents = oauth.listGrantsOf(identityId).filter((grant) => isHere(grant) && grant.revokedAt === null);
        for (const { id } of consents) oauth.revokeGrant(id, at);
        links.deleteOf(identityId);
        return { sessions: sessions.deleteOf(identityId), consents: consents.length };
      });
    },
  };
}
