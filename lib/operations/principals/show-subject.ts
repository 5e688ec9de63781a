import { followMemberships } from '../../access/follow-memberships.js';
import { findAdmins } from '../../access/admins.js';
import type { Subject } from '../../domain/grant.js';
import type { Group, Principal } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import type { Tables } from '../../sidecar/tables.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';
import { findLastSeen } from './find-last-seen.js';

/** A group that something is in. */
export interface ShownMembership extends Group {
  /** From this group down to the one of which it is a direct member, both included. */
  readonly way: readonly Pick<Group, 'id' | 'displayName'>[];
}

export interface ShownPrincipal extends Principal {
  /** The name or e-mail address that a person signs in with; null for anyone who does not sign in here. */
  readonly signInName: string | null;
  /** Whether a password is chosen. */
  readonly hasPassword: boolean;
  /** Whether it signs in to other workspaces too. Then an admin has no hold on its sign-in. */
  readonly isElsewhere: boolean;
  readonly isAdmin: boolean;
  /** Milliseconds since 1970, rounded down to the minute. Null for never. */
  readonly lastSeenAt: number | null;
  /** The groups it is in, at any depth. */
  readonly groups: readonly ShownMembership[];
}

/** A principal with its groups. Admin. @throws Refusal NOT_FOUND */
export const showPrincipal: ReadOperation<{ readonly principalId: string }, ShownPrincipal> = {
  kind: 'read',
  name: 'principal.show',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ workspace, view: { tables } }, { principalId }) {
    const principal = tables.principals.find(principalId);
    if (principal === undefined) throw notFound();
    const { identities, signIns } = workspace.origin.journal?.people ?? {};
    const identity = identities?.findOf(workspace.name, principalId);
    return {
      ...principal,
      signInName: identity?.signInName ?? null,
      hasPassword: signIns?.hasPassword(workspace.name, principalId) === true,
      isElsewhere: identity !== undefined && identities?.isElsewhere(identity.id, workspace.name) === true,
      isAdmin: findAdmins(tables).has(principalId),
      lastSeenAt: findLastSeen(workspace, tables, principalId),
      groups: listMemberships(tables, { type: 'principal', id: principalId }),
    };
  },
};

export interface ShownGroup extends Group {
  /** The groups that it is in, at any depth. */
  readonly groups: readonly ShownMembership[];
}

/** A group with the groups that it is in. Admin. @throws Refusal NOT_FOUND */
export const showGroup: ReadOperation<{ readonly groupId: string }, ShownGroup> = {
  kind: 'read',
  name: 'group.show',
  needs: () => adminNeeds,
  note: ({ groupId }) => ({ target: groupId }),
  run({ view: { tables } }, { groupId }) {
    const group = tables.groups.find(groupId);
    if (group === undefined) throw notFound();
    return { ...group, groups: listMemberships(tables, { type: 'group', id: groupId }) };
  },
};

function listMemberships(tables: Tables, subject: Subject): ShownMembership[] {
  const find = (id: string): Group => tables.groups.find(id) ?? { id, displayName: id, createdAt: 0 };
  return [...followMemberships(tables, subject)].map(([id, way]) => ({
    ...find(id),
    way: way.map((each) => ({ id: each, displayName: find(each).displayName })),
  }));
}
