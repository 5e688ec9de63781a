import { parseFolderLocation, parseLocation, type Location } from '../../domain/location.js';
import {
  createGrant,
  revokeGrant,
  type GrantInput,
  type NamedGrant,
  type GrantResult,
} from '../../operations/grants/change-grant.js';
import { listGrants, type ListGrantsInput } from '../../operations/grants/list-grants.js';
import { toGrantedRecord, toGrantRecord } from '../../records/grant-record.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { presentPage, readPage } from './page-query.js';

export type ScopeType = GrantInput['scopeType'];

/** The root is a folder; a document always has a location. */
export function parseScope(
  type: ScopeType,
  id: string,
): { readonly scopeType: ScopeType; readonly location: Location } {
  const location = type === 'folder' ? parseFolderLocation(id, 'scope_id') : parseLocation(id, 'scope_id');
  return { scopeType: type, location };
}

/**
 * The folder or document of the list, whether grants from above count, and the page.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
function readListing(request: RequestOf<'listGrants'>): ListGrantsInput {
  const { scope_type, scope_id, inherited } = request.query;
  return { ...parseScope(scope_type, scope_id), inherited, ...readPage(request) };
}

/** The body GrantCreate. */
function readGrant(request: RequestOf<'createGrant'>): GrantInput {
  const { scope_type, scope_id, subject, role } = jsonOf(request);
  return { ...parseScope(scope_type, scope_id), subject: { type: subject.type, id: subject.id }, role };
}

/** The same grant named in the query, since a DELETE has no body. */
function readRevocation({ query }: RequestOf<'revokeGrant'>): GrantInput {
  const { scope_type, scope_id, subject_type, subject_id, role } = query;
  return { ...parseScope(scope_type, scope_id), subject: { type: subject_type, id: subject_id }, role };
}

/** 201 for a new grant, 200 when the very same grant existed already. Location leads to its list. */
function presentCreatedGrant({ grant, created }: GrantResult): Answer {
  if (!created) return answerJson(200, toGrantRecord(grant));
  const query = new URLSearchParams({ scope_type: grant.scopeType, scope_id: grant.location });
  return answerJson(201, toGrantRecord(grant), { Location: `/grants?${query.toString()}` });
}

/** 200 with the revoked grant. */
function presentRevokedGrant(grant: NamedGrant): Answer {
  return answerJson(200, { revoked: true, ...toGrantedRecord(grant) });
}

/** Grants of one folder or document. */
export const grantRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/grants',
    operation: listGrants,
    read: readListing,
    present: presentPage(toGrantRecord),
  }),
  route({ ...jsonPost, path: '/grants', operation: createGrant, read: readGrant, present: presentCreatedGrant }),
  route({
    method: 'DELETE',
    path: '/grants',
    operation: revokeGrant,
    read: readRevocation,
    present: presentRevokedGrant,
  }),
];
