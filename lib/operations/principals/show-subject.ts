import type { Subject } from '../../domain/grant.js';
import type { Group, Principal, PrincipalKind } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import type { Tables } from '../../sidecar/tables.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

export interface ShownPrincipal extends Principal {
  /** The name or e-mail address that a person signs in with; null for anyone who does not sign in here. */
  readonly signInName: string | null;
  /** The groups it is in, at any depth. */
  readonly groups: readonly Group[];
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
    const identity = workspace.origin.journal?.people.identities.findOf(workspace.name, principalId);
    const groups = groupsAbove(tables, { type: 'principal', id: principalId });
    return { ...principal, signInName: identity?.signInName ?? null, groups };
  },
};

export interface ShownMember extends Subject {
  readonly kind: PrincipalKind | 'group';
  readonly displayName: string;
}

export interface ShownGroup extends Group {
  /** Direct members. */
  readonly members: readonly ShownMember[];
  /** The groups that it is in, at any depth. */
  readonly groups: readonly Group[];
}

/** A group with the names of its members. Admin. @throws Refusal NOT_FOUND */
export const showGroup: ReadOperation<{ readonly groupId: string }, ShownGroup> = {
  kind: 'read',
  name: 'group.show',
  needs: () => adminNeeds,
  note: ({ groupId }) => ({ target: groupId }),
  run({ view: { tables } }, { groupId }) {
    const group = tables.groups.find(groupId);
    if (group === undefined) throw notFound();
    const members = tables.groups.membersOf(groupId).map((member): ShownMember => {
      if (member.type === 'group') {
        return { ...member, kind: 'group', displayName: tables.groups.find(member.id)?.displayName ?? member.id };
      }
      const principal = tables.principals.find(member.id);
      return { ...member, kind: principal?.kind ?? 'person', displayName: principal?.displayName ?? member.id };
    });
    return { ...group, members, groups: groupsAbove(tables, { type: 'group', id: groupId }) };
  },
};

function groupsAbove(tables: Tables, subject: Subject): Group[] {
  return tables.groups.groupsAbove(subject).flatMap((id) => tables.groups.find(id) ?? []);
}
