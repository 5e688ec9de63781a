import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import { jsonOf } from '../../api/requests/checked-request.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { toGrantedRecord, toGrantRecord } from '../../records/grant-record.js';
import { toReaderRecord } from '../../records/reader-record.js';
import { parseScope } from '../../api/resources/grants.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { readFolder } from '../../api/resources/read-location.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import type { NamedGrant } from '../../operations/grants/change-grant.js';
import { changeRole, type ChangeRoleInput } from '../../operations/grants/change-role.js';
import { listGrants, type ListedGrant, type ListGrantsInput } from '../../operations/grants/list-grants.js';
import { listReaders } from '../../operations/grants/list-readers.js';
import { showSharing, type Sharing } from '../../operations/grants/show-sharing.js';
import type { FoundSubject } from '../../operations/principals/find-subjects.js';
import { lookUpSubjects } from '../../operations/principals/look-up-subjects.js';

/** The grants on the place and above it. @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor` */
function readShares(request: RequestOf<'listShares'>): ListGrantsInput {
  const { scope_type, scope_id } = request.query;
  return { ...parseScope(scope_type, scope_id), inherited: true, ...readPage(request) };
}

/** The body RoleChange. @throws Refusal INVALID_REQUEST `bad_location` */
function readRoleChange(request: RequestOf<'changeRole'>): ChangeRoleInput {
  const { scope_type, scope_id, subject, role, to_role } = jsonOf(request);
  return {
    ...parseScope(scope_type, scope_id),
    subject: { type: subject.type, id: subject.id },
    role,
    toRole: to_role,
  };
}

/** The description's `SharedWith`. */
function presentSubject({ type, id, kind, displayName }: FoundSubject): object {
  return { type, id, kind, display_name: displayName };
}

/** The description's `Share`: a grant, with the kind of its subject. */
function presentShare(grant: ListedGrant): object {
  return { ...toGrantRecord(grant), subject: presentSubject(grant.subject) };
}

/** The description's `Sharing`. */
function presentSharing({ location, scopeType, role, sharesFrom, own }: Sharing): Answer {
  return answerJson(200, {
    location,
    scope_type: scopeType,
    role,
    shares_from: sharesFrom,
    own_grants: own.map(toGrantedRecord),
  });
}

/** Who reaches a place, and whom to share it with. */
export const sharingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/sharing',
    operation: showSharing,
    read: (request) => ({ location: readFolder(request) }),
    present: presentSharing,
  }),
  route({
    method: 'GET',
    path: '/shares',
    operation: listGrants,
    read: readShares,
    present: presentPage(presentShare),
  }),
  route({
    method: 'GET',
    path: '/readers',
    operation: listReaders,
    read: (request) => ({ location: readFolder(request), ...readPage(request) }),
    present: presentPage(toReaderRecord),
  }),
  route({
    ...jsonPost,
    path: '/role-changes',
    operation: changeRole,
    read: readRoleChange,
    present: ({ grant }: { readonly grant: NamedGrant }) => answerJson(200, presentShare(grant)),
  }),
  route({
    method: 'GET',
    path: '/subjects',
    operation: lookUpSubjects,
    read: ({ query }) => ({ text: query.text }),
    present: (found: readonly FoundSubject[]) => answerJson(200, { items: found.map(presentSubject) }),
  }),
];
