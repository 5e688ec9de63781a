import type { Group, Principal } from '../../domain/principal.js';
import type { Subject } from '../../domain/grant.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/** All principals that ever acted here. Admin. */
export const listPrincipals: ReadOperation<Record<string, never>, readonly Principal[]> = {
  kind: 'read',
  name: 'principal.list',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ view }) => view.tables.principals.list(),
};

export interface GroupWithMembers extends Group {
  readonly members: readonly Subject[];
}

/** All groups with their direct members. Admin. */
export const listGroups: ReadOperation<Record<string, never>, readonly GroupWithMembers[]> = {
  kind: 'read',
  name: 'group.list',
  needs: () => adminNeeds,
  note: () => ({}),
  run: ({ view }) =>
    view.tables.groups.list().map((group) => ({ ...group, members: view.tables.groups.membersOf(group.id) })),
};
