import { formatTime } from '../domain/clock.js';
import { endSessions, issueLink, listSessions, type IssuedLink } from '../operations/manage-sign-in.js';
import { inWorkspace, type Command, type CommandContext } from './command.js';
import { noPrincipal } from './manage-principals.js';
import type { Presented } from './present.js';

/** @param address where the service answers */
export function presentLink({ address }: Pick<CommandContext, 'address'>, link: IssuedLink): Presented {
  return {
    principal: link.principalId,
    sign_in: link.signInName,
    link: addressOfLink(address, link.secret),
    expires_at: formatTime(link.expiresAt),
  };
}

/** The page that a link's secret opens. */
export function addressOfLink(address: string, secret: string): string {
  return `${address}/signin/link/${secret}`;
}

const noPerson = `${noPrincipal} Only a person signs in: an agent has a key, \`cartulary key mint\`.`;

export const signInCommands: Readonly<Record<string, Command>> = {
  link: inWorkspace(async ({ perform, host, address }, fields) => {
    const link = await perform(issueLink, {
      people: host.people,
      principalId: fields.text('principal'),
      signInName: fields.optionalText('sign_in'),
    });
    return presentLink({ address }, link);
  }, noPerson),
  sessions: inWorkspace(async ({ perform, host }, fields) => {
    const input = { people: host.people, principalId: fields.text('principal') };
    if (fields.flag('end')) return { principal: input.principalId, ended: await perform(endSessions, input) };
    const sessions = await perform(listSessions, input);
    return {
      items: sessions.map((session) => ({
        id: session.id,
        browser: session.browser,
        address: session.address,
        method: session.method,
        started_at: formatTime(session.startedAt),
        last_seen_at: formatTime(session.lastSeenAt),
      })),
    };
  }, noPerson),
};
