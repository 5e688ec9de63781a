import type { Subject } from '../../domain/grant.js';
import { makeIdentifier } from '../../domain/identifier.js';
import type { Group } from '../../domain/principal.js';
import { conflict, notFound } from '../../domain/refusal.js';
import { adminNeeds } from '../needs.js';
import type { WriteOperation } from '../operation.js';
import { requireProofForGroup } from '../require-recent-proof.js';
import type { JudgedName } from './look-alikes.js';
import { requireNoConnector } from './require-no-connector.js';
import { adminsOf, requireAdmin } from './set-principal-state.js';
import type { Tables } from '../../sidecar/tables.js';

/** A new, empty group. Admin. @throws Refusal INVALID_REQUEST `bad_field` for a look-alike */
export const addGroup: WriteOperation<{ readonly displayName: string }, Group, JudgedName> = {
  kind: 'write',
  name: 'group.add',
  needs: () => adminNeeds,
  note: ({ displayName }) => ({ target: displayName }),
  prepare: async (context, { displayName }) => (await import('./look-alikes.js')).judgeName(context, displayName),
  run(context, { displayName }, judged) {
    const { transaction } = context;
    judged.requireDistinct(context);
    const group: Group = { id: makeIdentifier('grp', transaction.randomness), displayName, createdAt: transaction.now };
    transaction.tables.groups.insert(group);
    return group;
  },
  noteResult: ({ id }) => ({ detail: { id } }),
};

export interface MembershipInput {
  readonly groupId: string;
  readonly member: Subject;
}

export interface MembershipResult extends MembershipInput {
  /** False when there was nothing to do. */
  readonly changed: boolean;
}

/** @throws Refusal NOT_FOUND when there is no such principal or group; the operator is in no group */
export function requireSubject(tables: Tables, subject: Subject): void {
  if (subject.type === 'group') {
    if (tables.groups.find(subject.id) === undefined) throw notFound();
    return;
  }
  const principal = tables.principals.find(subject.id);
  if (principal === undefined || principal.kind === 'operator') throw notFound();
}

/** @throws Refusal CONFLICT `group_cycle` when the group would be a member of itself, at any depth */
export function requireNoCircle({ groups }: Tables, { groupId, member }: MembershipInput): void {
  if (member.type === 'principal') return;
  if (member.id === groupId || groups.groupsAbove({ type: 'group', id: groupId }).includes(member.id)) {
    throw conflict('group_cycle', 'The group would contain itself. Groups nest, but never in a circle.');
  }
}

/**
 * Puts a principal or group into a group. The group's grants reach it from now on. Admin; in a browser, where one of them
 * is at the root, after a sign-in of the last minutes.
 */
export const joinGroup: WriteOperation<MembershipInput, MembershipResult> = {
  kind: 'write',
  name: 'group.join',
  needs: () => adminNeeds,
  note: ({ groupId, member }) => ({ target: groupId, detail: { member } }),
  run({ transaction, caller }, { groupId, member }) {
    requireSubject(transaction.tables, { type: 'group', id: groupId });
    requireSubject(transaction.tables, member);
    requireProofForGroup(caller, transaction.tables, groupId, transaction.now);
    requireNoConnector(transaction.tables, member, 'It joins no group.');
    requireNoCircle(transaction.tables, { groupId, member });
    return { groupId, member, changed: transaction.tables.groups.join(groupId, member, transaction.now) };
  },
};

/** Removes a principal or group from a group. The access from the group is revoked. Admin. */
export const leaveGroup: WriteOperation<MembershipInput, MembershipResult> = {
  kind: 'write',
  name: 'group.leave',
  worksWhenLow: true,
  needs: () => adminNeeds,
  note: ({ groupId, member }) => ({ target: groupId, detail: { member } }),
  run(context, { groupId, member }) {
    const { transaction } = context;
    requireSubject(transaction.tables, { type: 'group', id: groupId });
    const before = adminsOf(context);
    if (!transaction.tables.groups.leave(groupId, member)) throw notFound();
    requireAdmin(before, adminsOf(context));
    return { groupId, member, changed: true };
  },
};
