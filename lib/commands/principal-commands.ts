import { addPrincipal } from '../operations/principals/add-principal.js';
import {
  addGroup,
  joinGroup,
  leaveGroup,
  type MembershipInput,
  type MembershipResult,
} from '../operations/principals/change-group.js';
import { listGroups, listMembers, listPrincipals } from '../operations/principals/list-principals.js';
import { parseDisplayName } from '../operations/principals/parse-name.js';
import { showPrincipal } from '../operations/principals/show-subject.js';
import { setPrincipalState, type PrincipalState } from '../operations/principals/set-principal-state.js';
import { toGroupRecord, toListedGroupRecord, toMemberRecord } from '../records/group-record.js';
import {
  toListedPrincipalRecord,
  toPrincipalRecord,
  toShownPrincipalRecord,
  toStateRecord,
} from '../records/principal-record.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import type { Fields } from './fields.js';
import type { Presented } from './result.js';
import { listPages, longPage, printedList, readPages, Room } from './read-pages.js';
import { readGroup, readPrincipal, readSubject } from './read-subject.js';

export const noPrincipal = 'There is no such principal. `cartulary principal list` shows those there are.';
const noMember = 'There is no such group or member. `cartulary group list` and `cartulary principal list` show them.';

/** Says what becomes of the keys of a principal that was disabled or enabled. */
function presentState(state: PrincipalState): Presented {
  const { ended, keys } = state;
  const hint =
    ended === undefined
      ? `Keys from before work again (${keys}). Sessions and applications from before stay ended.`
      : `Keys open nothing while it is disabled, and work again when it is enabled (${keys}); \`cartulary key revoke\` ends one for good.`;
  return { ...toStateRecord(state), ...(keys > 0 && { hint }) };
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
    toPrincipalRecord(
      await perform(addPrincipal, {
        displayName: parseDisplayName(fields.text('name')),
        kind: fields.choice('kind', ['person', 'agent']),
      }),
    ),
  ),
  'principal.list': inWorkspace(({ perform }) =>
    listPages((page) => perform(listPrincipals, page), toListedPrincipalRecord, longPage),
  ),
  'principal.show': inWorkspace(async (context, fields) => {
    const principalId = await readPrincipal(context, fields, 'principal');
    return toShownPrincipalRecord(await context.perform(showPrincipal, { principalId }));
  }, noPrincipal),
  'principal.disable': setDisabled(true),
  'principal.enable': setDisabled(false),
  'group.add': inWorkspace(async ({ perform }, fields) =>
    toGroupRecord(await perform(addGroup, { displayName: parseDisplayName(fields.text('name')) })),
  ),
  'group.list': inWorkspace(async ({ perform }) => {
    const room = new Room();
    const reading = { limit: longPage, room };
    const groups = await readPages((page) => perform(listGroups, { outermost: false, ...page }), reading);
    const items: Presented[] = [];
    for (const group of groups) {
      // A group that was not read would look like one without members.
      room.isCut ||= room.isFull;
      if (room.isFull) break;
      const members = await readPages((page) => perform(listMembers, { groupId: group.id, ...page }), reading);
      items.push({ ...toListedGroupRecord(group), members: members.map(toMemberRecord) });
    }
    return printedList(items, room);
  }),
  'group.show': inWorkspace(async (context, fields) => {
    const groupId = await readGroup(context, fields, 'group');
    return listPages((page) => context.perform(listMembers, { groupId, ...page }), toMemberRecord, longPage);
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
