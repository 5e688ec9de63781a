import { answerJson, noContent } from '../../api/answers/answer.js';
import { route, type Route } from '../../api/route.js';
import { formatTime, formatTimeOrNull } from '../../domain/clock.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { endOwnConsent, listOwnConsents } from '../../operations/principals/own-consents.js';

/** The description's `OwnApplication`. */
const presentApplication = (consent: OAuthGrant): object => ({
  id: consent.id,
  name: consent.clientName,
  answers_to: consent.redirectHost,
  may_write: consent.scopes.includes('org:write'),
  allowed_at: formatTime(consent.createdAt),
  expires_at: formatTime(consent.expiresAt),
  last_used_at: formatTimeOrNull(consent.lastUsedAt),
});

/** The applications that act for the person. */
export const applicationRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/applications',
    operation: listOwnConsents,
    read: () => ({}),
    present: (consents) => answerJson(200, { items: consents.map(presentApplication) }),
  }),
  route({
    method: 'DELETE',
    path: '/applications/{id}',
    operation: endOwnConsent,
    read: ({ pathId }) => ({ consentId: pathId }),
    present: () => noContent,
  }),
];
