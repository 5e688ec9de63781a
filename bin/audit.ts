import type { Command } from 'commander';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { fail, note, printLine, printResult, writeJsonLines } from './print.js';

/** A record as the owner of the data presents it, as far as a line shows it. */
interface PresentedRecord {
  readonly seq: number;
  readonly at: string;
  readonly principal: string | null;
  readonly action: string;
  readonly outcome: string;
  readonly target: string | null;
  readonly interface: string;
}

/** Of the longest usual action and name. */
const widths = { seq: 8, principal: 16, action: 20, outcome: 9 };

const options: Readonly<Record<string, string>> = {
  '--location <location>': 'only what lies at or below this place now',
  '--principal <principal>': 'who did it: id, name, or e-mail address',
  '--credential <id>': 'by which key',
  '--action <action>': 'what was done, such as document.read',
  '--outcome <outcome>': 'done or refused',
  '--from <time>': 'since then: RFC 3339, or a duration ago such as 7d',
  '--to <time>': 'until then',
  '--request-id <id>': 'the records of one request',
  '--limit <number>': 'at most so many (default: 100)',
  '--all': 'all of them, a line for each; with --json lines of JSON',
  '--follow': 'those that come from now on, until you stop it; a server has to run',
  '--workspace <name>': 'may be left out where there is only one',
};

/** audit list. */
export function addAuditCommands(program: Command): void {
  const listing = addCommand(program, {
    words: 'audit list',
    description:
      'List records of the audit log, the newest first; with --follow those that come. --json has all their fields.',
    example: 'cartulary audit list --location handbook --outcome refused --from 7d',
  });
  for (const [flags, description] of Object.entries(options)) listing.option(flags, description);
  listing.action(() => list(listing.opts<CalledWith>()));
}

async function list(called: CalledWith): Promise<void> {
  const config = readConfig(called);
  const asJson = called['json'] === true;
  const { location, principal, credential, action, outcome, from, to, limit, all, follow } = called;
  const filters = { location, principal, credential, action, outcome, from, to, request_id: called['requestId'] };
  // Ctrl-C is how following ends, and no failure. What was received is printed by then.
  if (follow === true) process.once('SIGINT', () => process.exit(0));
  const request = {
    command: 'audit.list',
    workspace: config.workspace ?? undefined,
    fields: { ...filters, limit, all, follow },
  };
  const answer = await askOwner(config, request, async (progress) => {
    const { records } = progress as { readonly records: readonly PresentedRecord[] };
    if (asJson) await writeJsonLines(records.map((record) => JSON.stringify(record)));
    else for (const record of records) printLine(describe(record));
  });
  if ('error' in answer) return fail(answer.error, asJson);
  const result = answer.result as { readonly told: number } | Listed;
  if ('told' in result) {
    if (!asJson && result.told === 0) note('There are none.');
    return;
  }
  printResult(asJson ? result : { items: result.items.map(pickColumns) }, asJson);
  if (result.has_more) {
    note(`There are more: these are the newest ${result.items.length}. --limit shows more of them, --all shows all.`);
  }
}

interface Listed {
  readonly items: readonly PresentedRecord[];
  readonly has_more: boolean;
}

/** What a table shows of a record: as much as an ordinary terminal has room for. */
function pickColumns({ seq, at, principal, action, outcome, target, ...rest }: PresentedRecord): object {
  return { seq, at, principal, action, outcome, target, interface: rest.interface };
}

/** The same in one line of a list that comes piece by piece. */
function describe({ seq, at, principal, action, outcome, target }: PresentedRecord): string {
  const cells = [String(seq).padStart(widths.seq), at, (principal ?? '-').padEnd(widths.principal)];
  return [...cells, action.padEnd(widths.action), outcome.padEnd(widths.outcome), target ?? '-'].join('  ');
}
