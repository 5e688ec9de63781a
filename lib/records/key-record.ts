import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import { isInForce } from '../domain/credential.js';
import type { ShownCredential } from '../operations/credentials/list-credentials.js';
import { toAuthorRecord } from './author-record.js';

/** @param now milliseconds since 1970 */
export function stateOf(key: ShownCredential, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked';
  return isInForce(key, now) ? 'active' : 'expired';
}

/**
 * The description's `Token`: a key without its secret, as admins see it.
 * @param now milliseconds since 1970
 */
export function toKeyRecord(key: ShownCredential, now: number) {
  return {
    id: key.id,
    principal: key.principalId,
    name: key.name,
    interfaces: key.interfaces,
    prefix: key.prefix,
    last_four: key.lastFour,
    state: stateOf(key, now),
    created_at: formatTime(key.createdAt),
    created_by: toAuthorRecord(key.mintedBy),
    expires_at: formatTimeOrNull(key.expiresAt),
    revoked_at: formatTimeOrNull(key.revokedAt),
    last_used_at: formatTimeOrNull(key.lastUsedAt),
    requests_per_minute: key.requestsPerMinute,
  };
}

/**
 * The description's `Key`: a key of the caller's own.
 * @param credentialId of the request's key
 */
export function toOwnKeyRecord(key: ShownCredential, now: number, credentialId: string | null) {
  const {
    principal: _,
    created_at,
    created_by,
    expires_at,
    revoked_at,
    last_used_at,
    requests_per_minute,
    ...first
  } = toKeyRecord(key, now);
  return {
    ...first,
    is_of_request: key.id === credentialId,
    created_at,
    created_by,
    made_with: key.madeWith,
    acknowledged_at: formatTimeOrNull(key.acknowledgedAt),
    expires_at,
    revoked_at,
    last_used_at,
    requests_per_minute,
  };
}
