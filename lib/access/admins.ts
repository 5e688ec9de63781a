import { rootLocation } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * Enabled principals with the role approver on the workspace root, directly or through groups. Excludes the operator.
 */
export interface Admins {
  /** How many there are. */
  readonly appointed: number;
  /** How many of them have a way in: a key for REST in force, or a password. */
  readonly admitted: number;
}

/** The facts that decide about it beside the workspace's own tables. */
export interface WaysIn {
  /** Milliseconds since 1970: an expired key opens nothing. */
  readonly now: number;
  /** Whether the principal has chosen a password; a link to choose one is none yet. */
  hasPassword(this: void, principalId: string): boolean;
}

/** Counts the principals that can give others access, to protect the last of them. */
export function countAdmins(tables: Tables, ways: WaysIn): Admins {
  const admins = [...findAdmins(tables)];
  return { appointed: admins.length, admitted: admins.filter((id) => hasWayIn(tables, ways, id)).length };
}

function hasWayIn(tables: Tables, { now, hasPassword }: WaysIn, principalId: string): boolean {
  const keys = tables.credentials.list(principalId);
  // Access is given by REST and in the console alone: a key for git or MCP would leave nobody who can.
  const hasKey = keys.some(
    ({ revokedAt, expiresAt, interfaces }) =>
      revokedAt === null && (expiresAt === null || expiresAt > now) && interfaces.includes('rest'),
  );
  return hasKey || hasPassword(principalId);
}

/** Their ids. A connector is none, and neither is a disabled principal. */
export function findAdmins(tables: Tables): ReadonlySet<string> {
  const admins = new Set<string>();
  const seen = new Set<string>();
  const pending = tables.grants
    .on({ type: 'folder', location: rootLocation })
    .filter((grant) => grant.role === 'approver')
    .map((grant) => grant.subject);
  for (let subject = pending.pop(); subject !== undefined; subject = pending.pop()) {
    if (subject.type === 'principal') {
      const principal = tables.principals.find(subject.id);
      if (principal !== undefined && principal.disabledAt === null && principal.kind !== 'connector') {
        admins.add(principal.id);
      }
    } else if (!seen.has(subject.id)) {
      seen.add(subject.id);
      pending.push(...tables.groups.membersOf(subject.id));
    }
  }
  return admins;
}
