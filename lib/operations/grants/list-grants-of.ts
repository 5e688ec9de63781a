import type { Grant, Subject } from '../../domain/grant.js';
import { compareText } from '../../domain/location.js';
import type { Tables } from '../../sidecar/tables.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';
import { requireSubject } from '../principals/change-group.js';
import { locateScope } from './locate-scope.js';
import { nameGrant, type NamedGrant } from './change-grant.js';

export interface ListGrantsOfInput {
  readonly subject: Subject;
}

/**
 * What a principal or group can reach: its own grants, and those of every group that it is in at any depth. Each names
 * its holder, so a grant of a group shows the group. Grants on deleted documents are left out: they open nothing. Admin.
 * @throws Refusal NOT_FOUND when there is no such principal or group
 */
export const listGrantsOf: ReadOperation<ListGrantsOfInput, readonly NamedGrant[]> = {
  kind: 'read',
  name: 'grant.list_of',
  needs: () => adminNeeds,
  note: ({ subject }) => ({ target: subject.id, detail: { subject } }),
  run({ view: { tables } }, { subject }) {
    requireSubject(tables, subject);
    const above = tables.groups.groupsAbove(subject);
    const grants =
      subject.type === 'group'
        ? tables.grants.forSubjects('', [subject.id, ...above])
        : tables.grants.forSubjects(subject.id, above);
    return grants
      .flatMap((grant) => locate(tables, grant) ?? [])
      .toSorted((one, other) => compareText(one.location, other.location) || compareText(one.id, other.id));
  },
};

function locate(tables: Tables, grant: Grant): NamedGrant | undefined {
  const location = locateScope(tables, grant.scope);
  return location === undefined ? undefined : nameGrant(tables, grant, { scopeType: grant.scope.type, location });
}
