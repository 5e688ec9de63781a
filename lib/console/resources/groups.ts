import type { MembershipChange } from '../../access/follow-memberships.js';
import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../../api/requests/checked-request.js';
import type { BodyOf, QueryOf, RequestOf } from '../../api/requests/described-request.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import { formatTime } from '../../domain/clock.js';
import { listReach, type ListReachInput, type ReachedPlace } from '../../operations/grants/list-reach.js';
import {
  addGroup,
  joinGroup,
  leaveGroup,
  type MembershipInput,
  type MembershipResult,
} from '../../operations/principals/change-group.js';
import {
  listGroups,
  listMembers,
  type ListGroupsInput,
  type ListMembersInput,
} from '../../operations/principals/list-principals.js';
import { parseDisplayName } from '../../operations/principals/parse-name.js';
import { previewMembership, type MembershipImpact } from '../../operations/principals/preview-membership.js';
import { showGroup } from '../../operations/principals/show-subject.js';
import { toAuthorRecord } from '../../records/author-record.js';
import { toGroupRecord, toListedGroupRecord, toMemberRecord } from '../../records/group-record.js';
import { toMembershipRecord } from '../../records/principal-record.js';
import { repeatablePost } from './principals.js';

function readListing(request: RequestOf<'listGroups'>): ListGroupsInput {
  const { text, outermost } = request.query;
  return { text, outermost, ...readPage(request) };
}

/** The body GroupCreate. @throws Refusal INVALID_REQUEST `bad_field` */
function readNew(request: RequestOf<'addGroup'>): { readonly displayName: string } {
  const { display_name } = jsonOf(request);
  return { displayName: parseDisplayName(display_name) };
}

function readGroupId({ query }: CheckedRequest<Pick<QueryOf<'showGroup'>, 'group'>>): { readonly groupId: string } {
  return { groupId: query.group };
}

function readMembers(request: RequestOf<'listMembers'>): ListMembersInput {
  const { type } = request.query;
  return { ...readGroupId(request), type, ...readPage(request) };
}

function toMembership({ group, member_type: type, member_id: id }: BodyOf<'addMember'>): MembershipInput {
  return { groupId: group, member: { type, id } };
}

function readChange({ query }: RequestOf<'previewMembership'>): MembershipChange {
  const { change, ...membership } = query;
  return { ...toMembership(membership), begins: change === 'add' };
}

function readReach(request: RequestOf<'listReach'>): ListReachInput {
  const { subject_type, subject_id, own } = request.query;
  return { subject: { type: subject_type, id: subject_id }, own, ...readPage(request) };
}

const presentChange = ({ changed }: MembershipResult): Answer => answerJson(200, { changed });

function presentImpact({ changes, isCut }: MembershipImpact): Answer {
  return answerJson(200, {
    changes: changes.map(({ scopeType, location, before, after, principals, more }) => ({
      scope_type: scopeType,
      location,
      before,
      after,
      principals: principals.map(toAuthorRecord),
      more,
    })),
    is_cut: isCut,
  });
}

const presentPlace = ({ scopeType, location, role, coveredBy, grants }: ReachedPlace) => ({
  scope_type: scopeType,
  location,
  role,
  covered_by: coveredBy,
  grants: grants.map(({ id, role: granted, groups, grantedBy, createdAt }) => ({
    id,
    role: granted,
    groups: groups.map((group) => ({ id: group.id, display_name: group.displayName })),
    granted_by: toAuthorRecord(grantedBy),
    created_at: formatTime(createdAt),
  })),
});

/** Groups, their members, and what a principal or group reaches. */
export const groupRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/groups',
    operation: listGroups,
    read: readListing,
    present: presentPage(toListedGroupRecord),
  }),
  route({
    ...jsonPost,
    path: '/groups',
    operation: addGroup,
    read: readNew,
    present: (group) => answerJson(201, toGroupRecord(group)),
  }),
  route({
    method: 'GET',
    path: '/group',
    operation: showGroup,
    read: readGroupId,
    present: (group) => answerJson(200, { ...toGroupRecord(group), groups: group.groups.map(toMembershipRecord) }),
  }),
  route({
    method: 'GET',
    path: '/members',
    operation: listMembers,
    read: readMembers,
    present: presentPage(toMemberRecord),
  }),
  route({
    ...repeatablePost,
    path: '/members',
    operation: joinGroup,
    read: (request) => toMembership(jsonOf(request)),
    present: presentChange,
  }),
  route({
    method: 'DELETE',
    path: '/members',
    operation: leaveGroup,
    read: ({ query }) => toMembership(query),
    present: presentChange,
  }),
  route({
    method: 'GET',
    path: '/membership-previews',
    operation: previewMembership,
    read: readChange,
    present: presentImpact,
  }),
  route({
    method: 'GET',
    path: '/reach',
    operation: listReach,
    read: readReach,
    present: presentPage(presentPlace),
  }),
];
