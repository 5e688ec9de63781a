import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { fail, printResult } from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;

/** erase, erasures. */
export function addEraseCommands(program: Command): void {
  const erase = addCommand(program, {
    words: 'erase',
    description: 'Destroy a document, live or deleted, with its history, comments and name. It cannot be undone.',
    example: 'cartulary erase handbook/travel.md --yes travel.md',
  })
    .argument('<location>', 'where it lives, or lived when it was deleted')
    .option('--yes <name>', "the document's name, in place of being asked for it")
    .option('--deleted', 'what was deleted there, though something may live there now')
    .option('--document <id>', 'this one and no other, where several were deleted there')
    .option(...workspaceOption);
  erase.action((location: string) => eraseDocument(location, erase.opts<CalledWith>()));

  const erasures = addCommand(program, {
    words: 'erasures',
    description: 'List the receipts of erases, the newest first; one without a final time is still under way.',
    example: 'cartulary erasures',
  }).option(...workspaceOption);
  erasures.action(() => ask('erasures', {}, erasures.opts<CalledWith>()));
}

async function eraseDocument(location: string, options: CalledWith): Promise<void> {
  const { yes, deleted, document } = options;
  const meant = deleted === true ? `what was deleted at ${location}` : location;
  const confirmation = typeof yes === 'string' ? yes : await askForName(meant);
  await ask('erase', { location, confirmation, deleted: deleted === true, document }, options);
}

async function ask(command: string, fields: Readonly<Record<string, unknown>>, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const request = { command, workspace: config.workspace ?? undefined, fields };
  const answer = await askOwner(config, request, async (progress) => {
    const { state } = progress as { readonly state?: string };
    if (options['json'] !== true && state !== undefined) console.error(`… ${state}`);
  });
  const asJson = options['json'] === true;
  if ('error' in answer) {
    fail(answer.error, asJson);
  } else printResult(answer.result, asJson);
}

/** Whoever types the name means this document. What is typed is compared where the erase is done. */
async function askForName(meant: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const error = new Error("Nobody is there to type the document's name. Give it with --yes.");
    error.name = 'ConfigError';
    throw error;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    console.error(`This destroys ${meant} with its history, its comments and its name. Nothing brings it back.`);
    return await terminal.question("Type the document's name to go on: ");
  } finally {
    terminal.close();
  }
}
