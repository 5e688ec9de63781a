import { formatTime, formatTimeOrNull } from '../domain/clock.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import { listConsents, revokeConsent, revokeConsents } from '../operations/principals/manage-consent.js';
import { inWorkspace, type Command } from './command.js';
import { noPrincipal } from './manage-principals.js';
import type { Presented } from './result.js';
import { readPrincipal, readPrincipalOrNone } from './read-subject.js';

function presentConsent(consent: OAuthGrant): Presented {
  return {
    id: consent.id,
    principal: consent.principalId,
    client: consent.clientName,
    client_id: consent.clientId,
    answers_to: consent.redirectHost,
    scopes: consent.scopes,
    created_at: formatTime(consent.createdAt),
    expires_at: formatTime(consent.expiresAt),
    last_used_at: formatTimeOrNull(consent.lastUsedAt),
    revoked_at: formatTimeOrNull(consent.revokedAt),
  };
}

export const consentCommands: Readonly<Record<string, Command>> = {
  'consent.list': inWorkspace(async (context, fields) => {
    const input = { principalId: await readPrincipalOrNone(context, fields, 'principal') };
    return { items: (await context.perform(listConsents, input)).map(presentConsent) };
  }, noPrincipal),
  'consent.revoke': inWorkspace(
    async ({ perform }, fields) => presentConsent(await perform(revokeConsent, { consentId: fields.text('consent') })),
    'There is no such consent. `cartulary consent list` shows those there are.',
  ),
  'consent.revoke-all': inWorkspace(async (context, fields) => {
    const principalId = await readPrincipal(context, fields, 'principal');
    return { principal: principalId, ended: await context.perform(revokeConsents, { principalId }) };
  }, noPrincipal),
};
