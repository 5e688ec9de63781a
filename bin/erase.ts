import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { addCommand, readConfig, type CalledWith } from './options.js';
import type { CommandAnswer } from '../lib/commands/carrier/send-command.js';
import { askOwner } from './owner.js';
import { fail, note, printResult } from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;

/** erase, erasures. */
export function addEraseCommands(program: Command): void {
  const erase = addCommand(program, {
    words: 'erase',
    description:
      'Destroy a document, live or deleted, with its history, comments and name. It cannot be undone. Delete a mirrored one at its source too.',
    example: 'cartulary erase handbook/travel.md --document doc_e3e1b0a2f6c24d8c9b1f7a5d20c4e6b8 --yes travel.md',
  })
    .argument('<location>', 'the location of the document, or its last one if it was deleted')
    .option('--yes <name>', "the document's name, as the confirmation; needs --document")
    .option('--deleted', 'erase the document that was deleted there, not a live one')
    .option('--document <id>', 'the id of the document, live or deleted')
    .option(...workspaceOption);
  erase.action((location: string) => eraseDocument(location, erase.opts<CalledWith>()));

  const erasures = addCommand(program, {
    words: 'erasures',
    description:
      'List the receipts of erases, newest first. A receipt without a final time is under way, or names its hindrance.',
    example: 'cartulary erasures',
  }).option(...workspaceOption);
  erasures.action(async () => {
    const options = erasures.opts<CalledWith>();
    print(await send('erasures', {}, options), options['json'] === true);
  });
}

/** The answer of `erase.preview`. */
interface Shown {
  readonly document: string;
  readonly created_at: string;
  readonly created_by: { readonly display_name: string };
  readonly changed_at: string;
  readonly changed_by: { readonly display_name: string };
  readonly deleted_at: string | null;
  readonly versions: number;
  readonly comments: number;
}

/**
 * The document is shown first, and the command erases that one by its id. A document that takes its place meanwhile, or
 * before a repeated command, stays.
 */
async function eraseDocument(location: string, options: CalledWith): Promise<void> {
  const { yes, deleted, document } = options;
  const asJson = options['json'] === true;
  const sought = { location, deleted: deleted === true, document };
  const looked = await send('erase.preview', sought, options);
  if ('error' in looked) return fail(looked.error, asJson);
  const shown = looked.result as Shown;
  const description = describe(location, shown);
  if (typeof document !== 'string' && (typeof yes === 'string' || !process.stdin.isTTY)) {
    const message =
      `${description} There is no terminal to confirm this: pass --document ${shown.document} and --yes with its name. ` +
      'Nothing was erased.';
    return fail({ code: 'USAGE', message, details: { reason: 'document_not_named', ...shown } }, asJson);
  }
  const confirmation = typeof yes === 'string' ? yes : await askForName(description);
  if (confirmation === undefined) {
    return fail({ code: 'UNAVAILABLE', message: 'The command was interrupted. Nothing was erased.' }, asJson);
  }
  print(await send('erase', { location, confirmation, document: shown.document }, options), asJson);
}

function describe(location: string, shown: Shown): string {
  const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const times = [
    `made ${shown.created_at} by ${shown.created_by.display_name}`,
    ...(shown.versions === 1 ? [] : [`last changed ${shown.changed_at} by ${shown.changed_by.display_name}`]),
    ...(shown.deleted_at === null ? [] : [`deleted ${shown.deleted_at}`]),
  ];
  const parts = `${count(shown.versions, 'version')}, ${count(shown.comments, 'comment')}`;
  return `${location} is ${shown.document}: ${times.join(', ')}; ${parts}.`;
}

function send(command: string, fields: Readonly<Record<string, unknown>>, options: CalledWith): Promise<CommandAnswer> {
  const config = readConfig(options);
  const request = { command, workspace: config.workspace ?? undefined, fields };
  return askOwner(config, request, async (progress) => {
    const { state } = progress as { readonly state?: string };
    if (options['json'] !== true && state !== undefined) note(`… ${state}`);
  });
}

function print(answer: CommandAnswer, asJson: boolean): void {
  if ('error' in answer) {
    fail(answer.error, asJson);
  } else printResult(answer.result, asJson);
}

/**
 * Typing the name confirms the document. The operation compares the two.
 * @returns undefined where the answer is Ctrl-C, or the end of the input
 */
async function askForName(description: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) {
    const error = new Error("There is no terminal to type the document's name. Pass it with --yes.");
    error.name = 'ConfigError';
    throw error;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    note(description);
    note('This destroys the document, its history, its comments and its name. It cannot be undone.');
    return await terminal.question("Type the document's name to confirm: ");
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    // The terminal's line still ends with the question.
    note('');
    return undefined;
  } finally {
    terminal.close();
  }
}
