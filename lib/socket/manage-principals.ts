import type { Subject } from '../domain/grant.js';
import { addPrincipal } from '../operations/principals/add-principal.js';
import { addGroup, joinGroup, leaveGroup, type MembershipResult } from '../operations/principals/change-group.js';
import { listGroups, listPrincipals } from '../operations/principals/list-principals.js';
import { parseDisplayName } from '../operations/principals/parse-name.js';
import { setPrincipalState, type PrincipalState } from '../operations/principals/set-principal-state.js';
import { inWorkspace, type Command } from './command.js';
import { badField, type Fields } from './fields.js';
import { presentGroup, presentPrincipal, type Presented } from './present.js';

export const noPrincipal = 'There is no such principal. `cartulary principal list` shows those there are.';
const noMember = 'There is no such group or member. `cartulary group list` and `cartulary principal list` show them.';

/** A subject as it is written on the command line: `principal:ID` or `group:ID`. */
export function readSubject(fields: Fields, name: string): Subject {
  const text = fields.text(name);
  if (/^prn_\w+$/.test(text)) return { type: 'principal', id: text };
  if (/^grp_\w+$/.test(text)) return { type: 'group', id: text };
  const match = /^(principal|group):(.+)$/.exec(text);
  if (match === null) throw badField(name, 'must be the id of a principal or a group: prn_… or grp_…');
  return { type: match[1] as Subject['type'], id: match[2] ?? '' };
}

/** Shows the ended credentials, and states that keys did not end. */
function presentState(state: PrincipalState): Presented {
  const { ended, keys } = state;
  const hint =
    ended === undefined
      ? `Keys from before work again (${keys}). Sessions and applications from before stay ended.`
      : `Keys open nothing while it is disabled, and work again when it is enabled (${keys}); \`cartulary key revoke\` ends one for good.`;
  return {
    ...presentPrincipal(state),
    ...(ended !== undefined && { sessions_ended: ended.sessions, consents_ended: ended.consents }),
    keys,
    ...(keys > 0 && { hint }),
  };
}

function setDisabled(disabled: boolean): Command {
  return inWorkspace(
    async ({ perform }, fields) =>
      presentState(await perform(setPrincipalState, { principalId: fields.text('principal'), disabled })),
    noPrincipal,
  );
}

const presentMembership = ({ groupId, member, changed }: MembershipResult): Presented => ({
  id: groupId,
  member,
  changed,
});

export const principalCommands: Readonly<Record<string, Command>> = {
  'principal.add': inWorkspace(async ({ perform }, fields) =>
    presentPrincipal(
      await perform(addPrincipal, {
        displayName: parseDisplayName(fields.text('name')),
        kind: fields.choice('kind', ['person', 'agent']),
      }),
    ),
  ),
  'principal.list': inWorkspace(async ({ perform }) => ({
    items: (await perform(listPrincipals, {})).map(presentPrincipal),
  })),
  'principal.disable': setDisabled(true),
  'principal.enable': setDisabled(false),
  'group.add': inWorkspace(async ({ perform }, fields) =>
    presentGroup(await perform(addGroup, { displayName: parseDisplayName(fields.text('name')) })),
  ),
  'group.list': inWorkspace(async ({ perform }) => ({ items: (await perform(listGroups, {})).map(presentGroup) })),
  'group.join': inWorkspace(
    async ({ perform }, fields) =>
      presentMembership(
        await perform(joinGroup, { groupId: fields.text('group'), member: readSubject(fields, 'member') }),
      ),
    noMember,
  ),
  'group.leave': inWorkspace(
    async ({ perform }, fields) =>
      presentMembership(
        await perform(leaveGroup, { groupId: fields.text('group'), member: readSubject(fields, 'member') }),
      ),
    `${noMember} Or it is not in that group.`,
  ),
};
