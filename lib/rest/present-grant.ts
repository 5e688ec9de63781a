import { formatTime } from '../domain/clock.js';
import type { GrantRecord, GrantResult } from '../operations/grants/change-grant.js';
import type { ListedGrant } from '../operations/grants/list-grants.js';
import { answerJson, type Answer } from './answer.js';
import { presentAuthor } from './present-document.js';

function presentScopeAndSubject({ scopeType, location, subject, role }: GrantRecord): object {
  return {
    scope_type: scopeType,
    scope_id: location,
    subject: { type: subject.type, id: subject.id, display_name: subject.displayName },
    role,
  };
}

/** The description's `Grant`. */
export function presentGrant(grant: ListedGrant): object {
  return {
    id: grant.id,
    ...presentScopeAndSubject(grant),
    granted_by: presentAuthor(grant.grantedBy),
    created_at: formatTime(grant.createdAt),
    ...(grant.inheritedFrom === undefined ? {} : { inherited_from: grant.inheritedFrom }),
  };
}

/** 201 for a new grant, 200 when the very same one stood there already. Location leads to the list that holds it. */
export function presentCreatedGrant({ grant, created }: GrantResult): Answer {
  if (!created) return answerJson(200, presentGrant(grant));
  const query = new URLSearchParams({ scope_type: grant.scopeType, scope_id: grant.location });
  return answerJson(201, presentGrant(grant), { Location: `/v1/grants?${query.toString()}` });
}

/** 200 with the grant that is without force from now on. */
export function presentRevokedGrant(grant: GrantRecord): Answer {
  return answerJson(200, { revoked: true, ...presentScopeAndSubject(grant) });
}
