import { isAbsolute, relative } from 'node:path';
import { conflict, invalidRequest, type Refusal } from '../domain/refusal.js';
import { archiveAudit, type ArchiveBefore } from '../operations/audit/archive-audit.js';
import { backUpWorkspace } from '../operations/workspaces/back-up-workspace.js';
import { rebuild } from '../operations/workspaces/rebuild.js';
import { clearArchived } from '../journal/clear-archived.js';
import { inWorkspace, type Command } from './command.js';
import { badField, parseDuration, type Fields } from './fields.js';

/** Characters; as many as a person's password. */
const minPassphraseLength = 12;

/** backup, rebuild, audit archive: commands for keeping a workspace, or moving its old parts aside. */
export const preserveCommands: Readonly<Record<string, Command>> = {
  backup: inWorkspace(async ({ host, perform, onProgress }, fields) => {
    const folder = readFolder(fields, 'folder', host.dataFolder);
    const passphrase = readPassphrase(fields);
    const onWait = (what: string): void => void onProgress({ waiting: what });
    const { workspace, taken_at, commit, audit, files } = await perform(backUpWorkspace, {
      folder,
      passphrase,
      onWait,
    });
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { workspace, folder, taken_at, commit, audit, files: files.length, bytes };
  }),
  rebuild: inWorkspace(async ({ workspace, caller, server, onProgress }, fields) => {
    if (server !== null) {
      throw invalidRequest(
        'server_running',
        'A server is running. Stop it first: a rebuild allows no writes meanwhile.',
      );
    }
    const report = await rebuild(workspace, caller, {
      isPartial: fields.flag('partial'),
      onProgress: (commits) => onProgress({ commits }),
    });
    if (report === null)
      return { commits: 0, documents: 0, deleted_documents: 0, versions: 0, folders: 0, problems: [] };
    const { commits, documents, deletedDocuments, versions, folders, problems } = report;
    return { commits, documents, deleted_documents: deletedDocuments, versions, folders, problems };
  }),
  'audit.archive': inWorkspace(async ({ host, workspace, perform, onProgress, signal }, fields) => {
    const before = readBefore(fields.text('before'), host.clock.now());
    const { journal } = workspace;
    const head = journal.state.chain.seq;
    const files: string[] = [];
    let lastSeq: number | null = null;
    for (let more = true; more;) {
      if (signal.aborted) throw archivingStopped(lastSeq, files);
      const result = await perform(archiveAudit, { before, head });
      more = result.more;
      if (result.archived === null) continue;
      files.push(result.archived.file);
      lastSeq = result.archived.lastSeq;
      await clearArchived(journal, () => signal.aborted);
      await onProgress({ archived_up_to: lastSeq });
    }
    return { archived_up_to: lastSeq, files };
  }),
};

function archivingStopped(lastSeq: number | null, files: readonly string[]): Refusal {
  const done = lastSeq === null ? 'Nothing was archived' : `Everything up to record ${lastSeq} is archived`;
  return conflict('stopped', `It was stopped. ${done}. Run it again, and it goes on from there.`, {
    archivedUpTo: lastSeq,
    files,
  });
}

/** The passphrase of a new backup. */
export function readPassphrase(fields: Fields): string {
  const passphrase = fields.text('passphrase');
  if (passphrase.length >= minPassphraseLength) return passphrase;
  throw badField('passphrase', `must have at least ${minPassphraseLength} characters: it seals the service's keys`);
}

/** A folder for backups, outside of the data folder. */
export function readFolder(fields: Fields, name: string, dataFolder: string | null): string {
  const folder = fields.text(name);
  if (!isAbsolute(folder)) throw badField(name, 'must be an absolute path');
  const isInside = dataFolder !== null && /^(?!\.\.(?:[\\/]|$))/.test(relative(dataFolder, folder));
  if (isInside && !isAbsolute(relative(dataFolder, folder))) {
    throw badField(name, 'lies in the data folder itself: a backup belongs elsewhere, best on another disk');
  }
  return folder;
}

const timePattern = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/** A record's number, a time, or how long ago. */
function readBefore(text: string, now: number): ArchiveBefore {
  if (/^[1-9]\d{0,14}$/.test(text)) return { seq: Number(text) };
  const duration = parseDuration(text);
  const time = duration !== undefined ? now - duration : timePattern.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw badField('before', "must be a record's number, a time such as 2027-01-31T12:00:00Z, or an age such as 90d");
  }
  return { time };
}
