import type { Command } from 'commander';
import type { ChangeRecord } from '../lib/records/change-record.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { fail, note, printLine, writeJsonLines } from './print.js';

/** Of the longest name of a kind. */
const kindWidth = 15;

/** changes list. */
export function addChangeCommands(program: Command): void {
  const listing = addCommand(program, {
    words: 'changes list',
    description:
      'List what is there and what changed since, in order; with --since-now and --follow only what changes from now on. With --json it prints a line of JSON for each change.',
    example: 'cartulary changes list handbook --since-now --follow',
  })
    .argument('[location]', 'a folder or document (default: the whole workspace)')
    .option('--kind <kinds>', 'only these kinds, with commas, such as created,updated')
    .option('--since-now', 'leave out what was before')
    .option('--follow', 'go on until you stop it; a server has to run')
    .option('--workspace <name>', 'may be left out where there is only one');
  listing.action((location?: string) => list(location, listing.opts<CalledWith>()));
}

async function list(location: string | undefined, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const asJson = options['json'] === true;
  const { kind, sinceNow: since_now, follow } = options;
  const request = {
    command: 'changes.list',
    workspace: config.workspace ?? undefined,
    fields: { location, kind, since_now, follow },
  };
  const answer = await askOwner(config, request, async (progress) => {
    const { changes } = progress as { readonly changes: readonly ChangeRecord[] };
    if (asJson) await writeJsonLines(changes.map((change) => JSON.stringify(change)));
    else for (const change of changes) printLine(describe(change));
  });
  if ('error' in answer) fail(answer.error, asJson);
  else if (!asJson && (answer.result as { told: number }).told === 0) note('There are none.');
}

/** `2026-11-21T06:25:48.706Z  created  handbook/travel.md  Ada: First version`; a place that is not told is a dash. */
function describe({ at, kind, document, actor, message }: ChangeRecord): string {
  const who = actor === null ? '' : `  ${actor.display_name}`;
  const why = message === null ? '' : `: ${message}`;
  return `${at}  ${kind.padEnd(kindWidth)}  ${document.location ?? '-'}${who}${why}`;
}
