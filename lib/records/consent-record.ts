import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';

/** What a person allowed an application. */
export function toConsentRecord(consent: OAuthGrant) {
  return {
    id: consent.id,
    principal: consent.principalId,
    name: consent.clientName,
    client_id: consent.clientId,
    answers_to: consent.redirectHost,
    scopes: consent.scopes,
    created_at: formatTime(consent.createdAt),
    expires_at: formatTime(consent.expiresAt),
    last_used_at: formatTimeOrNull(consent.lastUsedAt),
    revoked_at: formatTimeOrNull(consent.revokedAt),
  };
}

/** The description's `OwnApplication`: the same, as the person sees it. */
export function toApplicationRecord(consent: OAuthGrant) {
  const { id, name, answers_to, scopes, created_at, expires_at, last_used_at } = toConsentRecord(consent);
  return { id, name, answers_to, may_write: scopes.includes('org:write'), created_at, expires_at, last_used_at };
}
