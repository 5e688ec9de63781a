import { readTitle } from '../access/read-policy.js';
import { formatTime } from '../domain/clock.js';
import { invalidRequest, unavailable } from '../domain/refusal.js';
import { parseWorkspaceTitle } from '../operations/principals/parse-name.js';
import { changePolicy } from '../operations/workspaces/change-policy.js';
import { beginRemoval } from '../operations/workspaces/remove-workspace.js';
import { perform } from '../operations/perform.js';
import type { Command, CommandContext, CommandDependencies } from './command.js';
import { badField } from './fields.js';
import { findOpened } from './operator/report-health.js';

/** workspace list, rename, remove: what there is in the data folder, also what cannot be opened. */
export const workspaceCommands: Readonly<Record<string, Command>> = {
  'workspace.list': {
    scope: 'service',
    run: ({ host }) =>
      Promise.resolve({
        items: host.listWorkspaces().map(({ name, createdAt }) => ({
          name,
          title: titleOf(host, name),
          created_at: formatTime(createdAt),
          state: findOpened(host, name) === undefined ? 'not served' : 'served',
        })),
      }),
  },
  'workspace.rename': {
    scope: 'service',
    async run({ host, caller }, fields) {
      const name = fields.text('name');
      requireListed(host, name);
      const workspace = host.find(name);
      if (workspace === undefined) throw unavailable();
      const workspaceTitle = parseWorkspaceTitle(fields.text('title'), name, 'title');
      const { before, after } = (await perform(workspace, caller, changePolicy, { workspaceTitle })).result;
      return {
        name,
        before: before.workspaceTitle ?? name,
        title: after.workspaceTitle ?? name,
        note: `Addresses, keys, clones, backups and the audit log keep the name ${name}: nobody has to change anything. To undo this, rename it to what it was before.`,
      };
    },
  },
  'workspace.remove': {
    scope: 'service',
    async run(context, fields) {
      const { host } = context;
      const name = fields.text('name');
      requireListed(host, name);
      const isConfirmed = fields.optionalText('yes') === name;
      const content = await describe(context, name, isConfirmed);
      if (!isConfirmed) {
        throw badField('yes', `must be ${name}, because this removes it for good: ${content}`);
      }
      const { audit_key: _, ...receipt } = await host.removeWorkspace(name);
      return receipt;
    },
  },
};

/** @throws Refusal INVALID_REQUEST `no_workspace` */
function requireListed(host: CommandDependencies, name: string): void {
  const listed = host.listWorkspaces();
  if (listed.some((each) => each.name === name)) return;
  const others = listed.length === 0 ? 'There is none.' : `There are: ${listed.map((each) => each.name).join(', ')}.`;
  throw invalidRequest('no_workspace', `There is no workspace "${name}". ${others}`, { field: 'name' });
}

/** Null where it cannot be read. */
function titleOf(host: CommandDependencies, name: string): string | null {
  const workspace = findOpened(host, name);
  return workspace === undefined ? null : readTitle(workspace.journal.reader, name);
}

/** What goes, and the offer of a last backup; on record in the workspace, where it can be opened. */
async function describe({ host, caller }: CommandContext, name: string, isConfirmed: boolean): Promise<string> {
  const workspace = findOpened(host, name);
  if (workspace === undefined) return 'what it holds is not known, since it cannot be opened';
  const { result } = await perform(workspace, caller, beginRemoval, { isConfirmed });
  const { documents, lastBackupAt } = result;
  const backup =
    lastBackupAt === undefined ? 'there is no backup' : `the last backup is of ${formatTime(lastBackupAt)}`;
  return (
    `${documents} documents with their versions, every key and its audit log; ${backup}. ` +
    `\`cartulary backup FOLDER --workspace ${name}\` makes one`
  );
}
