import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../lib/domain/format-bytes.js';
import type { KeptBackups } from '../lib/commands/kept-backup-commands.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { passphraseOption, readPassphrase, usage } from './passphrase.js';
import { endProgress, fail, note, printJson, printLine, printResult, refused, showPassing } from './print.js';

const rules = ['last', 'daily', 'weekly', 'monthly'] as const;

/** backup, backup list, backup check. */
export function addBackupCommands(program: Command): void {
  const backup = addCommand(program, {
    words: 'backup',
    description:
      'Back up a whole workspace, as of one moment, into a folder; or with --into every workspace, for a timer. A server may run.',
    example: 'cartulary backup --into /mnt/backups --keep-daily 7 --keep-weekly 5 --passphrase-file ./passphrase',
  })
    .argument('[folder]', 'an empty or new folder, on the machine of the service')
    .option('--into <folder>', 'make the backups in WORKSPACE/TIME below this folder')
    .option('--keep-last <number>', 'with --into: keep the newest ones, and remove others that no rule keeps')
    .option('--keep-daily <number>', 'keep the newest of each of so many days')
    .option('--keep-weekly <number>', 'of so many weeks')
    .option('--keep-monthly <number>', 'of so many months')
    .option('--dry-run', 'with --into: make and remove nothing, and list what would stay and go')
    .option(...passphraseOption)
    .option('--workspace <name>', 'only this one; may be left out');
  backup.action((folder: string | undefined) => backUp(folder, backup.opts<CalledWith>()));

  const list = addCommand(program, {
    words: 'backup list',
    description: 'List the backups in a folder and below it. The service need not be there.',
    example: 'cartulary backup list /mnt/backups',
  }).argument('<folder>', 'as given to --into, or above backups');
  list.action((folder: string) => listBackups(resolve(folder), list.opts<CalledWith>()));

  const check = addCommand(program, {
    words: 'backup check',
    description:
      'Check a backup as a restore does, in a temporary folder: its files, documents, history and audit log. The service need not be there.',
    example: 'cartulary backup check /mnt/backups/main --passphrase-file ./passphrase',
  })
    .argument('<folder>', 'the backup, or a folder of backups: then the newest of each workspace')
    .option(...passphraseOption);
  check.action((folder: string) => checkBackups(resolve(folder), check.opts<CalledWith>()));
}

async function backUp(folder: string | undefined, options: CalledWith): Promise<void> {
  const { into } = options;
  const kept = Object.fromEntries(rules.map((rule) => [`keep_${rule}`, options[`keep${capital(rule)}`]]));
  if ((folder === undefined) === (typeof into !== 'string')) throw usage('Name either a folder, or one with --into.');
  if (typeof into === 'string') return backUpInto(resolve(into), kept, options);
  if (options['dryRun'] === true || Object.values(kept).some((count) => count !== undefined)) {
    throw usage('--keep-… and --dry-run need --into.');
  }
  const config = readConfig(options);
  showPassing('copying the workspace, and checking the copy as a restore would');
  const fields = { folder: resolve(folder ?? ''), passphrase: await readPassphrase(options, true) };
  const request = { command: 'backup', workspace: config.workspace ?? undefined, fields };
  const answer = await askOwner(config, request, async (progress) => {
    note(`… ${(progress as { readonly waiting: string }).waiting}`);
  });
  endProgress('removed');
  if ('error' in answer) fail(answer.error, options['json'] === true);
  else printResult(answer.result, options['json'] === true);
}

const capital = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

async function backUpInto(into: string, kept: Readonly<Record<string, unknown>>, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const isDryRun = options['dryRun'] === true;
  const passphrase = isDryRun ? 'none is needed for this' : await readPassphrase(options, true);
  const fields = { ...kept, into, passphrase, dry_run: isDryRun, only: config.workspace ?? undefined };
  const answer = await askOwner(config, { command: 'backup.into', fields }, async (progress) => {
    const { workspace, waiting, workspaces_done: done, of } = progress as Readonly<Record<string, string | number>>;
    if (waiting !== undefined) note(`… ${workspace}: ${waiting}`);
    else
      showPassing(`${workspace}: copying it, and checking the copy as a restore would (${Number(done) + 1} of ${of})`);
  });
  endProgress('removed');
  if ('error' in answer) {
    fail(answer.error, options['json'] === true);
    return;
  }
  const { items } = answer.result as { readonly items: readonly KeptBackups[] };
  if (options['json'] === true) printJson({ items });
  else for (const item of items) describeKept(item, isDryRun);
  for (const { workspace, error } of items) if (error !== null) note(`cartulary: ${workspace}: ${error}`);
  if (items.some(({ error }) => error !== null)) process.exitCode = refused;
}

function describeKept({ workspace, folder, bytes, kept, removed, remarks }: KeptBackups, isDryRun: boolean): void {
  if (folder !== null) printLine(`${workspace}: made ${folder} (${formatBytes(bytes ?? 0)})`);
  if (isDryRun) for (const each of kept) printLine(`${workspace}: would keep ${each}`);
  for (const each of removed) printLine(`${workspace}: ${isDryRun ? 'would remove' : 'removed'} ${each}`);
  for (const each of remarks) printLine(`${workspace}: ${each}`);
}

async function listBackups(folder: string, options: CalledWith): Promise<void> {
  const { findBackups } = await import('../lib/backup/find-backups.js');
  const items = (await findBackups(folder)).map(({ folder: at, state, manifest }) => ({
    folder: at,
    state,
    workspace: manifest?.workspace ?? null,
    taken_at: manifest?.taken_at ?? null,
    bytes: manifest?.files.reduce((sum, file) => sum + file.bytes, 0) ?? null,
    release: manifest?.release ?? null,
  }));
  printResult({ items }, options['json'] === true);
}

async function checkBackups(folder: string, options: CalledWith): Promise<void> {
  const asJson = options['json'] === true;
  const { git } = readConfig(options);
  const [{ findBackups, momentOf }, { verifyBackup }, { schemaPath }, { Refusal }] = await Promise.all([
    import('../lib/backup/find-backups.js'),
    import('../lib/backup/verify-backup.js'),
    import('../lib/app/upgrade.js'),
    import('../lib/domain/refusal.js'),
  ]);
  const newest = new Map<string, { readonly at: number; readonly folder: string }>();
  for (const found of await findBackups(folder)) {
    const at = momentOf(found) ?? -1;
    const name = found.manifest?.workspace ?? found.folder;
    // A folder that is named itself is checked, whatever it holds.
    if (found.state !== 'complete' && found.folder !== folder) continue;
    if (at >= (newest.get(name)?.at ?? -1)) newest.set(name, { at, folder: found.folder });
  }
  if (newest.size === 0) throw usage(`There is no backup in ${folder}.`);
  const passphrase = await readPassphrase(options, false);
  const items: object[] = [];
  for (const { folder: at } of newest.values()) {
    try {
      showPassing(`checking ${at}`);
      const { workspace, taken_at, release } = await verifyBackup(at, {
        passphrase,
        git,
        migrations: schemaPath('sidecar'),
      });
      endProgress('removed');
      items.push({ folder: at, sound: true, problems: [] });
      if (!asJson) printLine(`${workspace}: sound; ${at}, taken at ${taken_at} by ${release}`);
    } catch (error) {
      endProgress('removed');
      if (!(error instanceof Refusal)) throw error;
      const problems = error.details?.reason === 'backup_damaged' ? error.details.problems : [error.message];
      items.push({ folder: at, sound: false, problems });
      if (!asJson) printLine(`BROKEN: ${at}`);
      for (const problem of problems) note(`cartulary: ${problem}`);
      process.exitCode = refused;
    }
  }
  if (asJson) printJson({ items });
}
