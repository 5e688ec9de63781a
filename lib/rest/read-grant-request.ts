import { parseFolderLocation, parseLocation, type Location } from '../domain/location.js';
import type { Role } from '../domain/role.js';
import type { GrantInput } from '../operations/grants/change-grant.js';
import type { ListGrantsInput } from '../operations/grants/list-grants.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';

type ScopeType = GrantInput['scopeType'];

/** The root is a folder; a document always has a location. */
function parseScope(type: ScopeType, id: string): { readonly scopeType: ScopeType; readonly location: Location } {
  const location = type === 'folder' ? parseFolderLocation(id, 'scope_id') : parseLocation(id, 'scope_id');
  return { scopeType: type, location };
}

/**
 * The folder or document whose grants are listed, whether those from above count, and the page.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_cursor`
 */
export function readListGrantsRequest(request: CheckedRequest): ListGrantsInput {
  const query = request.query as {
    readonly scope_type: ScopeType;
    readonly scope_id: string;
    readonly inherited?: boolean;
  };
  return {
    ...parseScope(query.scope_type, query.scope_id),
    inherited: query.inherited ?? false,
    ...readPage(request),
  };
}

/** The body GrantCreate. */
export function readCreateGrantRequest({ body }: CheckedRequest): GrantInput {
  const { scope_type, scope_id, subject, role } = (body.form === 'json' ? body.value : {}) as {
    readonly scope_type: ScopeType;
    readonly scope_id: string;
    readonly subject: GrantInput['subject'];
    readonly role: Role;
  };
  return { ...parseScope(scope_type, scope_id), subject: { type: subject.type, id: subject.id }, role };
}

/** The same grant named in the query, since a DELETE has no body. */
export function readRevokeGrantRequest({ query }: CheckedRequest): GrantInput {
  const { scope_type, scope_id, subject_type, subject_id, role } = query as {
    readonly scope_type: ScopeType;
    readonly scope_id: string;
    readonly subject_type: GrantInput['subject']['type'];
    readonly subject_id: string;
    readonly role: Role;
  };
  return { ...parseScope(scope_type, scope_id), subject: { type: subject_type, id: subject_id }, role };
}
