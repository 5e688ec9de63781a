import type { Credential } from '../domain/credential.js';
import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { Group, Principal } from '../domain/principal.js';
import type { GrantRecord } from '../operations/grants/change-grant.js';
import type { GroupWithMembers } from '../operations/principals/list-principals.js';

/** A result as JSON: names in snake_case and times in RFC 3339, as everywhere outside the service. */
export type Presented = Readonly<Record<string, unknown>>;

/** A principal as the command line prints it. */
export function presentPrincipal(principal: Principal): Presented {
  return {
    id: principal.id,
    kind: principal.kind,
    display_name: principal.displayName,
    created_at: formatTime(principal.createdAt),
    disabled_at: formatTimeOrNull(principal.disabledAt),
  };
}

/** A group as the command line prints it; with its members where they were read. */
export function presentGroup(group: Group | GroupWithMembers): Presented {
  return {
    id: group.id,
    display_name: group.displayName,
    created_at: formatTime(group.createdAt),
    members: 'members' in group ? group.members : [],
  };
}

/** A grant as the command line prints it. */
export function presentGrant(grant: GrantRecord): Presented {
  return {
    id: grant.id,
    scope_type: grant.scopeType,
    scope_id: grant.location,
    subject: { type: grant.subject.type, id: grant.subject.id, display_name: grant.subject.displayName },
    role: grant.role,
    granted_by: {
      id: grant.grantedBy.id,
      kind: grant.grantedBy.kind,
      display_name: grant.grantedBy.displayName,
    },
    created_at: formatTime(grant.createdAt),
  };
}

/** A key as the command line prints it: all but its secret. */
export function presentCredential(credential: Credential): Presented {
  return {
    id: credential.id,
    principal: credential.principalId,
    name: credential.name,
    interfaces: credential.interfaces,
    last_four: credential.lastFour,
    created_at: formatTime(credential.createdAt),
    created_by: credential.createdBy,
    expires_at: formatTimeOrNull(credential.expiresAt),
    revoked_at: formatTimeOrNull(credential.revokedAt),
    last_used_at: formatTimeOrNull(credential.lastUsedAt),
    requests_per_minute: credential.requestsPerMinute,
  };
}
