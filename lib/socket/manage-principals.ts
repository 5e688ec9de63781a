import { addPrincipal } from '../operations/principals/add-principal.js';
import {
  addGroup,
  joinGroup,
  leaveGroup,
  type MembershipInput,
  type MembershipResult,
} from '../operations/principals/change-group.js';
import { listMembers } from '../operations/principals/list-by-name.js';
import { listGroups, listPrincipals } from '../operations/principals/list-principals.js';
import { parseDisplayName } from '../operations/principals/parse-name.js';
import { showPrincipal } from '../operations/principals/show-subject.js';
import { setPrincipalState, type PrincipalState } from '../operations/principals/set-principal-state.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import type { Fields } from './fields.js';
import { presentGroup, presentPrincipal, type Presented } from './present.js';
import { readPages } from './read-pages.js';
import { readGroup, readPrincipal, readSubject } from './read-subject.js';

export const noPrincipal = 'There is no such principal. `cartulary principal list` shows those there are.';
const noMember = 'There is no such group or member. `cartulary group list` and `cartulary principal list` show them.';

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
    async (context, fields) =>
      presentState(
        await context.perform(setPrincipalState, {
          principalId: await readPrincipal(context, fields, 'principal'),
          disabled,
        }),
      ),
    noPrincipal,
  );
}

const presentMembership = ({ groupId, member, changed }: MembershipResult): Presented => ({
  id: groupId,
  member,
  changed,
});

const readMembership = async (context: WorkspaceContext, fields: Fields): Promise<MembershipInput> => ({
  groupId: await readGroup(context, fields, 'group'),
  member: await readSubject(context, fields, 'member'),
});

const noGroup = 'There is no such group. `cartulary group list` shows those there are.';

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
  'principal.show': inWorkspace(async (context, fields) => {
    const principalId = await readPrincipal(context, fields, 'principal');
    const { signInName, groups, ...principal } = await context.perform(showPrincipal, { principalId });
    return {
      ...presentPrincipal(principal),
      sign_in: signInName,
      groups: groups.map(({ id, displayName }) => ({ type: 'group', id, display_name: displayName })),
    };
  }, noPrincipal),
  'principal.disable': setDisabled(true),
  'principal.enable': setDisabled(false),
  'group.add': inWorkspace(async ({ perform }, fields) =>
    presentGroup(await perform(addGroup, { displayName: parseDisplayName(fields.text('name')) })),
  ),
  'group.list': inWorkspace(async ({ perform }) => ({ items: (await perform(listGroups, {})).map(presentGroup) })),
  'group.show': inWorkspace(async (context, fields) => {
    const groupId = await readGroup(context, fields, 'group');
    const members = await readPages((page) => context.perform(listMembers, { groupId, ...page }));
    return { items: members.map(({ id, kind, displayName }) => ({ id, kind, display_name: displayName })) };
  }, noGroup),
  'group.join': inWorkspace(
    async (context, fields) =>
      presentMembership(await context.perform(joinGroup, await readMembership(context, fields))),
    noMember,
  ),
  'group.leave': inWorkspace(
    async (context, fields) =>
      presentMembership(await context.perform(leaveGroup, await readMembership(context, fields))),
    `${noMember} Or it is not in that group.`,
  ),
};
