import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandAnswer } from '../lib/commands/carrier/send-command.js';
import { restoreFromObjects } from './follow.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { passphraseOption, readPassphrase, usage } from './passphrase.js';
import { endProgress, fail, printFault, printResult, showPassing } from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;

/** restore, rebuild, audit archive. */
export function addPreserveCommands(program: Command): void {
  const restore = addCommand(program, {
    words: 'restore',
    description:
      'Restore a workspace from a backup or from a clone, or everything from a copy in a bucket. It checks everything first and replaces nothing.',
    example: 'cartulary restore /mnt/backups/2027-01-31 --data restored --passphrase-file ./passphrase',
  })
    .argument('[folder]', 'the backup')
    .option('--clone <folder>', 'restore from a clone: content and history, but no access')
    .option('--workspace <name>', 'with --clone: the name of the workspace; with --objects: only this one')
    .option('--max-files <number>', 'with --clone: refuse a commit with more files and folders (default: 1000000)')
    .option('--partial', 'with --clone: accept commits that the service did not make')
    .option('--objects <address>', 'restore everything from the copy there: s3://bucket/prefix')
    .option('--at <time>', 'with --objects: as of this moment, such as 2027-01-31T10:00:00Z (default: the newest)')
    .option('--identity-file <file>', 'with --objects: the file with the secret key')
    .option('--life <id>', 'with --objects: of this life, whichever is current; `follow points` lists them')
    .option(...passphraseOption);
  restore.action((folder: string | undefined) => restoreFrom(folder, restore.opts<CalledWith>()));

  const rebuild = addCommand(program, {
    words: 'rebuild',
    description:
      'Make the rows of documents, versions, folders and moves again from the repository. No server may run.',
    example: 'cartulary rebuild --workspace acme',
  })
    .option('--partial', 'leave out commits that the service did not make')
    .option(...workspaceOption);
  rebuild.action(() => ask('rebuild', {}, rebuild.opts<CalledWith>()));

  const archive = addCommand(program, {
    words: 'audit archive',
    description: 'Move old records of the audit log into compressed files. Checks and exports still read them.',
    example: 'cartulary audit archive --before 365d',
  })
    .requiredOption('--before <place>', "a record's number, a time in RFC 3339, or an age such as 90d (required)")
    .option(...workspaceOption);
  archive.action(() => ask('audit.archive', {}, archive.opts<CalledWith>()));
}

async function restoreFrom(folder: string | undefined, options: CalledWith): Promise<void> {
  if (options['objects'] !== undefined) {
    if (folder !== undefined || options['clone'] !== undefined) throw usage('--objects takes no backup and no clone.');
    return restoreFromObjects(options);
  }
  if (['at', 'identityFile', 'life'].some((name) => options[name] !== undefined))
    throw usage('--at, --identity-file and --life are for a copy: name it with --objects.');
  const config = readConfig(options);
  const { clone } = options;
  if ((folder === undefined) === (typeof clone !== 'string')) {
    throw usage('Name the folder of a backup, a clone with --clone, or a copy with --objects.');
  }
  if (typeof clone === 'string' && config.workspace === null) throw usage('Name the workspace with --workspace.');
  const { restoreInto } = await import('../lib/app/restore-into.js');
  const source =
    typeof clone === 'string'
      ? {
          clone: resolve(clone),
          name: config.workspace ?? '',
          isPartial: options['partial'] === true,
          maxFiles: readCount(options['maxFiles']),
        }
      : { backup: resolve(folder ?? ''), passphrase: await readPassphrase(options, false) };
  show(await restoreInto(config, source, printFault), options);
}

/** @throws ConfigError */
function readCount(text: string | boolean | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw usage('--max-files must be a whole number of at least 1.');
  return Number(text);
}

async function ask(command: string, fields: Readonly<Record<string, unknown>>, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const { before, partial } = options;
  const request = { command, workspace: config.workspace ?? undefined, fields: { before, partial, ...fields } };
  const answer = await askOwner(config, request, async (progress) => {
    const done = Object.entries(progress as Readonly<Record<string, unknown>>);
    showPassing(done.map(([what, count]) => `${what.replaceAll('_', ' ')}: ${String(count)}`).join(', '));
  });
  endProgress('removed');
  show(answer, options);
}

function show(answer: CommandAnswer, options: CalledWith): void {
  const asJson = options['json'] === true;
  if ('error' in answer) {
    fail(answer.error, asJson);
  } else printResult(answer.result, asJson);
}
