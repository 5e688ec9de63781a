import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { findPassphrase } from '../lib/config.js';
import type { CommandAnswer } from '../lib/socket/send-command.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { askFor, endProgress, fail, printFault, printResult, showPassing } from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;
const passphraseOption = [
  '--passphrase-file <file>',
  'holds the passphrase in its first line (else CARTULARY_PASSPHRASE, else it is asked for)',
] as const;

/** backup, restore, rebuild, audit archive. */
export function addPreserveCommands(program: Command): void {
  const backup = addCommand(program, {
    words: 'backup',
    description: 'Back up a whole workspace, as of one moment, into a folder. A server may run.',
    example: 'cartulary backup /mnt/backups/2027-01-31 --passphrase-file ./passphrase',
  })
    .argument('<folder>', 'an empty or new folder, on the machine of the service')
    .option(...passphraseOption)
    .option(...workspaceOption);
  backup.action((folder: string) => backUp(resolve(folder), backup.opts<CalledWith>()));

  const restore = addCommand(program, {
    words: 'restore',
    description: 'Restore a workspace from a backup or from a clone. It checks everything first and replaces nothing.',
    example: 'cartulary restore /mnt/backups/2027-01-31 --data ./repos --passphrase-file ./passphrase',
  })
    .argument('[folder]', 'the backup')
    .option('--clone <folder>', 'restore from a clone: content and history, but no access')
    .option('--workspace <name>', 'with --clone: the name of the workspace')
    .option('--max-files <number>', 'with --clone: refuse a commit with more files and folders (default: 1000000)')
    .option('--partial', 'with --clone: accept commits that the service did not make')
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

async function backUp(folder: string, options: CalledWith): Promise<void> {
  showPassing('copying the workspace, and checking the copy as a restore would');
  await ask('backup', { folder, passphrase: await readPassphrase(options, true) }, options);
}

async function restoreFrom(folder: string | undefined, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const { clone } = options;
  if ((folder === undefined) === (typeof clone !== 'string')) {
    throw usage('Name either the folder of a backup, or a clone with --clone.');
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

/** The passphrase, from any safe source: never from the command line, which every process can read. */
async function readPassphrase(options: CalledWith, isNew: boolean): Promise<string> {
  const file = options['passphraseFile'];
  if (typeof file === 'string') return firstLine(readFileSync(file, 'utf8'));
  const fromEnvironment = findPassphrase();
  if (fromEnvironment !== undefined) return fromEnvironment;
  if (!process.stdin.isTTY) throw usage('There is no passphrase. Give --passphrase-file, or set CARTULARY_PASSPHRASE.');
  const typed = await askHidden('Passphrase: ');
  if (isNew && (await askHidden('Once more: ')) !== typed) throw usage('The two passphrases differ.');
  return typed;
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

/** Asks on the terminal without showing the input. */
function askHidden(question: string): Promise<string> {
  askFor(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  return new Promise((done, giveUp) => {
    terminal.once('SIGINT', () => {
      terminal.close();
      giveUp(usage('Nothing was done.'));
    });
    terminal.question('', (answer) => {
      terminal.close();
      endProgress('kept');
      done(answer);
    });
  });
}

/** A wrong call is reported like a wrong setting. */
function usage(message: string): Error {
  const error = new Error(message);
  error.name = 'ConfigError';
  return error;
}
