import { join } from 'node:path';
import { chooseKept, type Retention } from '../backup/choose-kept.js';
import {
  findBackups,
  findOtherFiles,
  finishRemovals,
  momentOf,
  nameByTime,
  removeBackup,
  type FoundBackup,
} from '../backup/find-backups.js';
import { describeError } from '../domain/describe-error.js';
import { formatTime } from '../domain/clock.js';
import { Refusal } from '../domain/refusal.js';
import { backUpWorkspace } from '../operations/workspaces/back-up-workspace.js';
import { perform } from '../operations/perform.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Command, CommandContext } from './command.js';
import { badField, type Fields } from './fields.js';
import { readFolder, readPassphrase } from './preserve-commands.js';

/** What became of one workspace. Names of members as in JSON. */
export interface KeptBackups {
  readonly workspace: string;
  /** The new backup; null where none was made. */
  readonly folder: string | null;
  readonly bytes: number | null;
  /** Folders of the backups that stay, the new one included. */
  readonly kept: readonly string[];
  /** Folders of the backups that were removed, or would be. */
  readonly removed: readonly string[];
  /** Why something else stays, a sentence each. */
  readonly remarks: readonly string[];
  /** Why there is no new backup, or why old ones could not be removed. */
  readonly error: string | null;
}

interface Asked {
  readonly into: string;
  readonly passphrase: string;
  /** null removes nothing. */
  readonly retention: Retention | null;
  readonly isDryRun: boolean;
}

/** backup.into: a backup of each workspace into a folder of its own, and the removal of old ones. */
export const keepBackupsCommands: Readonly<Record<string, Command>> = {
  'backup.into': {
    scope: 'service',
    async run(context, fields) {
      const { host, onProgress, signal } = context;
      const only = fields.optionalText('only');
      const names = host.names().filter((name) => only === undefined || name === only);
      if (names.length === 0)
        throw badField('workspace', `names none; there are: ${host.names().join(', ') || 'none'}`);
      const asked: Asked = {
        into: readFolder(fields, 'into', host.dataFolder),
        passphrase: readPassphrase(fields),
        retention: readRetention(fields),
        isDryRun: fields.flag('dry_run'),
      };
      const items: KeptBackups[] = [];
      for (const name of names) {
        signal.throwIfAborted();
        await onProgress({ workspace: name, workspaces_done: items.length, of: names.length });
        items.push(await keepBackups(context, name, asked));
      }
      return { items };
    },
  },
};

function readRetention(fields: Fields): Retention | null {
  const rules = ['last', 'daily', 'weekly', 'monthly'] as const;
  const counts = rules.map((rule) => [rule, fields.optionalCount(`keep_${rule}`) ?? 0] as const);
  return counts.every(([, count]) => count === 0)
    ? null
    : (Object.fromEntries(counts) as Record<keyof Retention, number>);
}

/** Never throws for a fault of one workspace: the others get their backup. */
async function keepBackups(context: CommandContext, name: string, asked: Asked): Promise<KeptBackups> {
  const nothing = { workspace: name, folder: null, bytes: null, kept: [], removed: [], remarks: [] };
  try {
    const workspace = context.host.find(name);
    if (workspace === undefined)
      return { ...nothing, error: 'The workspace cannot be opened: see the log of the service.' };
    const place = join(asked.into, name);
    const now = context.host.clock.now();
    if (asked.isDryRun) return { ...nothing, ...(await prune(workspace, place, now, asked)), error: null };
    const folder = join(place, nameByTime(formatTime(now)));
    const { files } = (
      await perform(workspace, context.caller, backUpWorkspace, {
        folder,
        passphrase: asked.passphrase,
        onWait: (what) => void context.onProgress({ workspace: name, waiting: what }),
      })
    ).result;
    const made = { ...nothing, folder, bytes: files.reduce((sum, file) => sum + file.bytes, 0), kept: [folder] };
    try {
      return { ...made, ...(await prune(workspace, place, now, asked)), error: null };
    } catch (error) {
      return { ...made, error: `The backup was made; old ones could not be removed: ${describeError(error)}` };
    }
  } catch (error) {
    return { ...nothing, error: explain(error) };
  }
}

/** The reader owns the machine, so a cause helps more than what callers from outside get. */
function explain(error: unknown): string {
  if (!(error instanceof Refusal)) return describeError(error);
  return error.cause === undefined ? error.message : describeError(error.cause);
}

/**
 * Removes what the rules do not keep, of this workspace's backups alone. The one of now always stays: it is the newest
 * that was checked, whatever times the others have.
 */
async function prune(
  workspace: Workspace,
  place: string,
  now: number,
  { retention, isDryRun }: Asked,
): Promise<Pick<KeptBackups, 'kept' | 'removed' | 'remarks'>> {
  const present = await findBackups(place, 1).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !isDryRun) throw error;
    return [];
  });
  const remarks: string[] = [];
  const own = present.filter((backup) => {
    const stranger = findStrangeness(workspace, backup);
    if (stranger !== undefined) remarks.push(`${backup.folder} stays: ${stranger}.`);
    return stranger === undefined;
  });
  const moments = own.map((backup) => momentOf(backup) ?? now);
  const chosen = retention === null ? new Set(moments) : chooseKept(isDryRun ? [...moments, now] : moments, retention);
  const newest = isDryRun ? undefined : join(place, nameByTime(formatTime(now)));
  const stays = (backup: FoundBackup): boolean => chosen.has(momentOf(backup) ?? now) || backup.folder === newest;
  const removed: string[] = [];
  if (retention !== null && !isDryRun) await finishRemovals(place);
  for (const backup of own.filter((each) => !stays(each))) {
    const others = await findOtherFiles(backup);
    if (others.length > 0) {
      remarks.push(`${backup.folder} stays: it also holds ${others.slice(0, 3).join(', ')}.`);
      continue;
    }
    if (!isDryRun) await removeBackup(backup);
    removed.push(backup.folder);
  }
  const kept = own.map(({ folder }) => folder).filter((folder) => !removed.includes(folder));
  return { kept, removed, remarks };
}

/** Why a folder is no backup of this workspace, the rest of a sentence. A name alone does not say whose it is. */
function findStrangeness({ name, journal }: Workspace, backup: FoundBackup): string | undefined {
  const { state, manifest } = backup;
  if (state === 'unfinished') return 'it is unfinished; remove it by hand when no backup runs';
  if (manifest === null || momentOf(backup) === undefined) return 'its manifest cannot be read';
  if (manifest.workspace !== name) return `it is of the workspace ${manifest.workspace}`;
  const { seq, hash } = manifest.audit;
  if (seq > journal.state.chain.seq) return 'its audit log goes beyond the one of this workspace';
  // An archived record is not looked up: the name decides then.
  const record = journal.reader.audit.find(seq);
  const isOther = record !== undefined && record.hash.toString('hex') !== hash;
  return isOther ? 'it is of another workspace of this name: their audit logs differ' : undefined;
}
