import { closeSync, openSync, readSync } from 'node:fs';
import type { Command } from 'commander';
import type { CommandError } from '../lib/commands/command.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { endProgress, fail, note, printIds, printResult, refused, showProgress } from './print.js';

/** A command about connectors. Its fields are its arguments and its options. */
interface Described {
  readonly words: string;
  readonly description: string;
  readonly example: string;
  /** As commander writes them: `<connector>`, `[settings...]`. */
  readonly arguments?: readonly string[];
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
  /** Whether it takes a secret, from a file or from standard input. */
  readonly takesSecret?: 'maybe' | 'always';
  /** The columns and members for people; --json has them all. */
  readonly shows?: readonly string[];
}

const which = 'the id or name of the connector, or the folder of its mirror';
const waits = { '--wait': 'wait until the run is over, and show how far it is' };
const withName = { '--name <name>': 'what people know the source by (default: the name of the folder)' };
const withInterval = { '--every <duration>': 'time between two runs, such as 30m; 5m at least (default: 1h)' };
const noSecret = { '--no-secret': 'remove the secret' };
const settings = 'name=value for each setting; `cartulary connector kinds` has their names';

const ofConnector = [
  'id',
  'name',
  'location',
  'source',
  'state',
  'reason',
  'held_change',
  'synced_at',
  'next_run_at',
  'last_run',
];

const table: readonly Described[] = [
  {
    words: 'connector kinds',
    description: 'List the kinds of sources, with their settings and what the secret of each is.',
    example: 'cartulary connector kinds',
  },
  {
    words: 'connector list',
    arguments: ['[location]'],
    description: 'List the connectors, in a folder if one is named.',
    example: 'cartulary connector list handbook/',
    shows: ['id', 'name', 'location', 'kind', 'state', 'synced_at', 'next_run_at', 'reason'],
  },
  {
    words: 'connector show',
    arguments: ['<connector>'],
    description: `Show a connector: ${which}.`,
    example: 'cartulary connector show handbook/website',
    shows: [...ofConnector, 'failures', 'source_version', 'settings', 'has_secret', 'has_webhook', 'connected_by'],
  },
  {
    words: 'connector connect',
    arguments: ['<location>', '<kind>', '[settings...]'],
    description: `Mirror a source into a new or empty folder. Give ${settings}. Who may read the folder sees everything in it: permissions of the source are not mirrored.`,
    example:
      'cartulary connector connect handbook/website git url=https://git.example.org/web/site.git branch=main --secret-file token.txt',
    optional: { ...withName, ...withInterval, ...waits },
    takesSecret: 'maybe',
    shows: ofConnector,
  },
  {
    words: 'connector test',
    arguments: ['<connector>', '[settings...]'],
    description: `Test a connection: of a connector (${which}), or of a kind with settings. Nothing is stored.`,
    example: 'cartulary connector test git url=https://git.example.org/web/site.git',
    takesSecret: 'maybe',
  },
  {
    words: 'connector change',
    arguments: ['<connector>', '[settings...]'],
    description: `Change the name, the schedule, or the settings of a connector. Settings are replaced as a whole, and its secret with them. Give ${settings}.`,
    example: 'cartulary connector change handbook/website --every 10m',
    optional: { ...withName, ...withInterval, ...noSecret },
    takesSecret: 'maybe',
    shows: ofConnector,
  },
  {
    words: 'connector sync',
    arguments: ['<connector>'],
    description: 'Sync now. A stopped connector tries again.',
    example: 'cartulary connector sync handbook/website --wait',
    optional: waits,
    shows: ofConnector,
  },
  {
    words: 'connector pause',
    arguments: ['<connector>'],
    description: 'End the run under way, and begin no other until it is resumed. The mirror stays readable.',
    example: 'cartulary connector pause handbook/website',
    shows: ofConnector,
  },
  {
    words: 'connector resume',
    arguments: ['<connector>'],
    description: 'Let a paused or stopped connector run again.',
    example: 'cartulary connector resume handbook/website',
    optional: waits,
    shows: ofConnector,
  },
  {
    words: 'connector approve',
    arguments: ['<connector>', '<change>'],
    description: 'Approve the change that a connector holds: the held_change of `cartulary connector show`.',
    example: 'cartulary connector approve handbook/website 9f2c1e7ab04d',
    optional: waits,
    shows: ofConnector,
  },
  {
    words: 'connector disconnect',
    arguments: ['<connector>'],
    description: 'End a mirror for good. Say what becomes of the documents: there is no default.',
    example: 'cartulary connector disconnect handbook/website --documents keep',
    required: { '--documents <what>': 'keep them as ordinary documents, or delete them with the folder' },
  },
  {
    words: 'connector runs',
    arguments: ['<connector>'],
    description: 'List the last runs of a connector, the newest first.',
    example: 'cartulary connector runs handbook/website',
    shows: [
      'number',
      'trigger',
      'started_at',
      'outcome',
      'created',
      'updated',
      'moved',
      'deleted',
      'skipped',
      'message',
    ],
  },
  {
    words: 'connector skipped',
    arguments: ['<connector>'],
    description: 'List the files of the source that are not in the mirror, with the reasons.',
    example: 'cartulary connector skipped handbook/website',
  },
  {
    words: 'connector secret',
    arguments: ['<connector>'],
    description: 'Replace the secret of a connector. One that stopped because of it tries again.',
    example: 'cartulary connector secret handbook/website --secret-file token.txt',
    optional: noSecret,
    takesSecret: 'always',
    shows: ofConnector,
  },
  {
    words: 'connector webhook',
    arguments: ['<connector>'],
    description: 'Make the secret of a webhook, and print it once with the address for the source.',
    example: 'cartulary connector webhook handbook/website',
    optional: { '--off': 'take no more webhooks' },
  },
];

/** connector: connect, test, sync, pause, … */
export function addConnectorCommands(program: Command): void {
  for (const described of table) {
    const command = addCommand(program, described).option(
      '--workspace <name>',
      'may be left out where there is only one',
    );
    command.option('-q, --quiet', 'print only the id');
    for (const argument of described.arguments ?? []) command.argument(argument);
    for (const [flags, words] of Object.entries(described.required ?? {})) {
      command.requiredOption(flags, `${words} (required)`);
    }
    for (const [flags, words] of Object.entries(described.optional ?? {})) command.option(flags, words);
    if (described.takesSecret !== undefined) {
      command.option('--secret-file <file>', 'the file with the password or token; - for standard input');
    }
    command.action(() => run(described, command.opts<CalledWith>(), command.processedArgs as (string | string[])[]));
  }
}

/** Characters of a run's progress. */
interface Progress {
  readonly listed: number;
  readonly bytes: number;
}

type Row = Readonly<Record<string, unknown>>;

async function run(
  described: Described,
  options: CalledWith,
  values: readonly (string | string[] | undefined)[],
): Promise<void> {
  const config = readConfig(options);
  const asJson = options['json'] === true;
  const { words, takesSecret } = described;
  let secret: string | undefined;
  try {
    secret = takesSecret === undefined ? undefined : readSecret(options['secretFile']);
  } catch (error) {
    fail({ code: 'USAGE', message: `--secret-file: ${(error as Error).message}` }, asJson);
    return;
  }
  if (takesSecret === 'always' && secret === undefined && options['secret'] !== false) {
    fail({ code: 'USAGE', message: 'Give the secret with --secret-file FILE, or - for standard input.' }, asJson);
    return;
  }
  const named = (described.arguments ?? []).map((each) => each.replaceAll(/[<>[\].]/g, ''));
  const fields = {
    ...Object.fromEntries(named.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]]]))),
    ...pickOptions(options),
    ...(secret === undefined ? {} : { secret }),
  };
  const request = { command: words.replace(' ', '.'), workspace: config.workspace ?? undefined, fields };
  const answer = await askOwner(config, request, async (progress) => {
    const { listed, bytes } = progress as Progress;
    showProgress(`${listed} files listed, ${bytes} bytes read`);
  });
  if (options['wait'] === true) endProgress('removed');
  if ('error' in answer) return fail(nameOption(answer.error), asJson);
  const result = answer.result as Row;
  if (options['quiet'] === true) printIds(result);
  else printResult(asJson ? result : forPeople(described, result), asJson);
  conclude(words, result, options['wait'] === true);
}

/** The option in place of the refused field. */
function nameOption(error: CommandError): CommandError {
  const field = String(error.details?.['field']);
  const isOption = ['wait', 'every', 'name', 'documents', 'workspace'].includes(field);
  return isOption && error.message.startsWith(`${field} `) ? { ...error, message: `--${error.message}` } : error;
}

/** The fields that options stand for. `--no-secret` is commander's form of `secret: false`. */
function pickOptions({ name, every, wait, documents, off, secret }: CalledWith): Row {
  return { name, every, wait, documents, off, ...(secret === false ? { no_secret: true } : {}) };
}

/** Says beside the result what is not well, and sets the exit code. */
function conclude(words: string, result: Row, isWaiting: boolean): void {
  if (result['server_runs'] === false) {
    note('No server runs, so nothing is synced yet. Start it with `cartulary serve`.');
  }
  if (words === 'connector test' && result['works'] === false) process.exitCode = refused;
  if (words === 'connector webhook' && typeof result['secret'] === 'string') {
    note('The secret is shown this once. Enter it at the source, with the address.');
  }
  if (!isWaiting) return;
  const { outcome, message } = result['last_run'] as { readonly outcome: string; readonly message: string | null };
  if (outcome === 'changed' || outcome === 'unchanged') return;
  const reason = message ?? (result['reason'] as string | null) ?? '';
  note(`cartulary: The run ended as ${outcome}. ${reason}`.trimEnd());
  if (outcome !== 'partial') process.exitCode = refused;
}

function forPeople({ shows, words }: Described, result: Row): Row {
  if (words === 'connector kinds') return { items: (result['items'] as Row[]).map(describeKind) };
  if (shows === undefined) return result;
  const pick = (row: Row): Row =>
    Object.fromEntries(shows.map((name) => [name, name === 'last_run' ? describeRun(row[name]) : row[name]]));
  return 'items' in result ? { items: (result['items'] as Row[]).map(pick) } : pick(result);
}

/** `changed, begun 2026-…: 2 created, 5 updated, 3 skipped`. */
function describeRun(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { outcome, started_at: at, message, ...rest } = value as Readonly<Record<string, string | number | null>>;
  const counts = ['created', 'updated', 'moved', 'deleted', 'skipped'].filter((name) => rest[name] !== 0);
  const done = counts.map((name) => `${String(rest[name])} ${name}`).join(', ');
  return [`${outcome ?? 'under way'}, begun ${at ?? ''}`, done, message ?? ''].filter((part) => part !== '').join(': ');
}

/** The settings of a kind in one line: those required first, the others in brackets. */
function describeKind({ kind, settings_schema: schema, secret }: Row): Row {
  const { properties = {}, required = [] } = schema as { properties?: Row; required?: readonly string[] };
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  return { kind, settings: [...required, ...others.map((name) => `[${name}]`)].join(' '), secret };
}

/** Bytes of a secret: a key for ssh takes some thousands. */
const maxSecretBytes = 16 * 1024;

/**
 * A secret from a file or standard input, without the end of its last line. An argument would be seen by every account
 * of the machine.
 * @throws Error in words
 */
function readSecret(file: string | boolean | undefined): string | undefined {
  if (typeof file !== 'string') return undefined;
  const descriptor = file === '-' ? 0 : openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(maxSecretBytes + 2);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    const text = bytes.toString('utf8', 0, length).replace(/\r?\n$/, '');
    if (Buffer.byteLength(text) > maxSecretBytes) throw new Error(`a secret has at most ${maxSecretBytes} bytes`);
    if (text === '') throw new Error('it is empty');
    return text;
  } finally {
    if (descriptor !== 0) closeSync(descriptor);
  }
}
