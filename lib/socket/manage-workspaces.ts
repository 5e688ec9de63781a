import { formatTime } from '../domain/clock.js';
import { invalidRequest } from '../domain/refusal.js';
import { beginRemoval } from '../operations/workspaces/remove-workspace.js';
import { perform } from '../operations/perform.js';
import type { Command, CommandContext } from './command.js';
import { badField } from './fields.js';
import { findOpened } from './report-health.js';

/** workspace list, workspace remove: what there is in the data folder, also what cannot be opened. */
export const workspaceCommands: Readonly<Record<string, Command>> = {
  'workspace.list': {
    scope: 'service',
    run: ({ host }) =>
      Promise.resolve({
        items: host.listWorkspaces().map(({ name, createdAt }) => ({
          name,
          created_at: formatTime(createdAt),
          state: findOpened(host, name) === undefined ? 'not served' : 'served',
        })),
      }),
  },
  'workspace.remove': {
    scope: 'service',
    async run(context, fields) {
      const { host } = context;
      const name = fields.text('name');
      const listed = host.listWorkspaces();
      if (!listed.some((each) => each.name === name)) {
        const others =
          listed.length === 0 ? 'There is none.' : `There are: ${listed.map((each) => each.name).join(', ')}.`;
        throw invalidRequest('no_workspace', `There is no workspace "${name}". ${others}`, { field: 'name' });
      }
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
