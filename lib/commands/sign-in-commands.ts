import { endSessions, issueLink, listSessions, type IssuedLink } from '../operations/principals/manage-sign-in.js';
import { listConsents } from '../operations/principals/manage-consent.js';
import { toSessionRecord } from '../records/session-record.js';
import { toSignInLinkRecord } from '../records/sign-in-link-record.js';
import { inWorkspace, type Command, type CommandContext, type WorkspaceContext } from './command.js';
import { noPrincipal } from './principal-commands.js';
import type { Presented } from './result.js';
import { readPrincipal } from './read-subject.js';

/** @param address where the service answers */
export function presentLink(
  { address }: Pick<CommandContext, 'address'>,
  link: IssuedLink,
): { readonly sign_in_name: string; readonly link: string } & Presented {
  const { principal, sign_in_name, path, expires_at } = toSignInLinkRecord(link);
  return { principal, sign_in_name, link: `${address}${path}`, expires_at };
}

/** Tells the operator that a name is known in other workspaces: another person may have taken it there. */
export function explainElsewhere({ signInName, elsewhere }: IssuedLink): string[] {
  if (elsewhere.length === 0) return [];
  const places = elsewhere.length > 3 ? `${elsewhere.slice(0, 3).join(', ')} and more` : elsewhere.join(', ');
  return [
    `"${signInName}" signs in to another workspace too: ${places}. ` +
      'Hand the link to that person alone. It chooses a new password for all of them, and signs out every browser.',
  ];
}

/** How many consents of a person in this workspace are in force. */
async function countConsents({ perform, host }: WorkspaceContext, principalId: string): Promise<number> {
  const now = host.clock.now();
  const consents = await perform(listConsents, { principalId });
  return consents.filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now).length;
}

const noPerson = `${noPrincipal} Only a person signs in: an agent has a key, \`cartulary key mint\`.`;

export const signInCommands: Readonly<Record<string, Command>> = {
  link: inWorkspace(async (context, fields) => {
    const { perform, address } = context;
    const link = await perform(issueLink, {
      principalId: await readPrincipal(context, fields, 'principal'),
      signInName: fields.optionalText('sign_in'),
    });
    const count = await countConsents(context, link.principalId);
    const hints = [
      ...explainElsewhere(link),
      ...(count > 0 ? [`Choosing the password ends what applications may do as them (here: ${count}).`] : []),
    ];
    return { ...presentLink({ address }, link), ...(hints.length > 0 && { hint: hints.join(' ') }) };
  }, noPerson),
  sessions: inWorkspace(async (context, fields) => {
    const { perform } = context;
    const input = { principalId: await readPrincipal(context, fields, 'principal') };
    if (fields.flag('end')) {
      const ended = await perform(endSessions, input);
      const count = await countConsents(context, input.principalId);
      const hint = `Applications go on acting as them (here: ${count}); \`cartulary consent revoke-all ${input.principalId}\` ends that.`;
      return { principal: input.principalId, ended, ...(count > 0 && { hint }) };
    }
    const sessions = await perform(listSessions, input);
    return { items: sessions.map(toSessionRecord) };
  }, noPerson),
};
