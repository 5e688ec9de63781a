import { formatTime } from '../domain/clock.js';
import type { NamedGrant } from '../operations/grants/change-grant.js';
import type { ListedGrant } from '../operations/grants/list-grants.js';
import { toAuthorRecord } from './author-record.js';

type Granted = Pick<NamedGrant, 'scopeType' | 'location' | 'role'> & {
  readonly subject: Omit<NamedGrant['subject'], 'kind'>;
};

/** Who has which role where. */
export function toGrantedRecord({ scopeType, location, subject, role }: Granted) {
  return {
    scope_type: scopeType,
    scope_id: location,
    subject: { type: subject.type, id: subject.id, display_name: subject.displayName },
    role,
  };
}

/** The description's `Grant`. */
export function toGrantRecord(grant: ListedGrant) {
  return {
    id: grant.id,
    ...toGrantedRecord(grant),
    granted_by: toAuthorRecord(grant.grantedBy),
    created_at: formatTime(grant.createdAt),
    ...(grant.inheritedFrom === undefined ? {} : { inherited_from: grant.inheritedFrom }),
  };
}
