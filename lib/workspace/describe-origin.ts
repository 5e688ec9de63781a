import type { Clock } from '../domain/clock.js';
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
  };
}
