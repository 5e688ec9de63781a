import { listConsents, revokeConsent, revokeConsents } from '../operations/principals/manage-consent.js';
import { toConsentRecord } from '../records/consent-record.js';
import { inWorkspace, type Command } from './command.js';
import { noPrincipal } from './principal-commands.js';
import { readPrincipal, readPrincipalOrNone } from './read-subject.js';

export const consentCommands: Readonly<Record<string, Command>> = {
  'consent.list': inWorkspace(async (context, fields) => {
    const input = { principalId: await readPrincipalOrNone(context, fields, 'principal') };
    return { items: (await context.perform(listConsents, input)).map(toConsentRecord) };
  }, noPrincipal),
  'consent.revoke': inWorkspace(
    async ({ perform }, fields) => toConsentRecord(await perform(revokeConsent, { consentId: fields.text('consent') })),
    'There is no such consent. `cartulary consent list` shows those there are.',
  ),
  'consent.revoke-all': inWorkspace(async (context, fields) => {
    const principalId = await readPrincipal(context, fields, 'principal');
    return { principal: principalId, ended: await context.perform(revokeConsents, { principalId }) };
  }, noPrincipal),
};
