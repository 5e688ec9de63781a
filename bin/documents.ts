import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Command } from 'commander';
import type { CommandAnswer } from '../lib/commands/carrier/send-command.js';
import type { toLineRecord } from '../lib/records/line-record.js';
import type { DocumentRecord } from '../lib/records/document-record.js';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { quoteWord } from './quote-word.js';
import {
  fail,
  note,
  printIds,
  printJson,
  printLine,
  printResult,
  printRows,
  writeBytes,
  writeContent,
  writeJsonLines,
} from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;
const quietOption = ['-q, --quiet', 'print only the version'] as const;

type Row = Readonly<Record<string, unknown>>;

/** ls, cat, put, search, mv, rm: documents at a shell, as the operator. */
export function addDocumentCommands(program: Command): void {
  addReadingCommands(program);
  const putting = addCommand(program, {
    words: 'put',
    description:
      'Store a file of this machine, or standard input, as a document. A new one is made; one that is there is never overwritten without --if-match or --replace.',
    example:
      'cartulary put handbook/travel.md travel.md\n  $ echo "Call the desk." | cartulary put handbook/desk.md -\n  $ cartulary put handbook/travel.md travel.md --if-match 799cd2b9a0370827d85ad8bda28c3fb1b3fc6427',
  })
    .argument('<location>', 'the document; with / at the end, a folder for the file under its own name')
    .argument('[file]', 'the file; - or nothing is standard input')
    .option('--if-match <etag>', 'replace this version, and refuse if another one is there')
    .option('--replace', 'replace the version that is there now; a write of another meanwhile is still refused')
    .option('--media-type <type>', 'such as text/markdown (default: by the name and the bytes)')
    .option('--message <text>', 'a note on the version')
    .option(...quietOption)
    .option(...workspaceOption);
  putting.action((location: string, file: string | undefined) => put(location, file, putting.opts<CalledWith>()));

  const moving = addCommand(program, {
    words: 'mv',
    description:
      'Move or rename a document or folder. Into a folder that is there, or that ends with /, it keeps its name. It refuses where more people would reach it.',
    example: 'cartulary mv handbook/travel.md archive/travel-2026.md\n  $ cartulary mv handbook/travel.md archive/',
  })
    .argument('<from>', 'the document or folder')
    .argument('<to>', 'its new location, or the folder for it; / is the root')
    .option('--if-match <etag>', 'refuse if another version of the document is there')
    .option('--accept-access <digest>', 'agree to the change of access that a refusal named')
    .option(...quietOption)
    .option(...workspaceOption);
  moving.action((from: string, to: string) => moveItem(from, to, moving.opts<CalledWith>()));

  const removing = addCommand(program, {
    words: 'rm',
    description: 'Delete a document. It can be brought back: `cartulary document undelete`.',
    example: 'cartulary rm handbook/old.md',
  })
    .argument('<location>', 'the document')
    .option('--if-match <etag>', 'refuse if another version is there')
    .option(...quietOption)
    .option(...workspaceOption);
  removing.action((location: string) => remove(location, removing.opts<CalledWith>()));
}

function addReadingCommands(program: Command): void {
  const listing = addCommand(program, {
    words: 'ls',
    description:
      'List one level of a folder: its folders, which end with /, then its documents. With --json it prints a line of JSON for each.',
    example: 'cartulary ls handbook -l',
  })
    .argument('[folder]', 'a folder or document (default: the root)')
    .option('-l, --long', 'also size, time, author and ETag')
    .option(...workspaceOption);
  listing.action((location: string | undefined) => list(location, listing.opts<CalledWith>()));

  const reading = addCommand(program, {
    words: 'cat',
    description:
      'Write the exact bytes of a document to standard output. On a terminal, signs that it would obey are shown, and binary content is refused. With --json it prints the record without the content.',
    example: 'cartulary cat handbook/travel.md\n  $ cartulary cat plans/floor.png > floor.png',
  })
    .argument('<location>', 'the document')
    .option('--version <version>', 'an older version (default: the current one)')
    .option(...workspaceOption);
  reading.action((location: string) => show(location, reading.opts<CalledWith>()));

  const searching = addCommand(program, {
    words: 'search',
    description:
      'Search the texts of documents, the best first. With --exact or --pattern, find each line that holds the characters or fits the expression.',
    example:
      "cartulary search travel expenses --in handbook\n  $ cartulary search --exact '140 EUR' --in handbook/travel.md\n  $ cartulary search --pattern '(?i)todo.*\\b2026' --context 1",
  })
    .argument('<words...>', 'what to look for')
    .option('--in <folder>', 'only below this folder; for lines also in one document')
    .option('--label <label>', 'only documents with this label')
    .option('--exact', 'find lines with these very characters')
    .option('--pattern', 'find lines that fit this expression, in the syntax of RE2; (?i) in front ignores case')
    .option('--context <number>', 'for lines, how many to show on either side of each, up to 5 (default: none)')
    .option('--limit <number>', 'the most hits, up to 200 (default: 20)')
    .option(...workspaceOption);
  searching.action((words: readonly string[]) => search(words, searching.opts<CalledWith>()));
}

async function list(location: string | undefined, options: CalledWith): Promise<void> {
  const asJson = options['json'] === true;
  const answer = await ask('ls', { location }, options, async (progress) => {
    const { entries } = progress as { readonly entries: readonly Entry[] };
    if (asJson) await writeJsonLines(entries.map((entry) => JSON.stringify(entry)));
    else if (options['long'] === true) printRows(entries.map(describe));
    else for (const entry of entries) printLine(nameEntry(entry));
  });
  if ('error' in answer) fail(answer.error, asJson);
  else if (!asJson && (answer.result as { told: number }).told === 0) note('There are none.');
}

type Entry = { readonly type: 'folder'; readonly location: string } | ({ readonly type: 'document' } & DocumentRecord);

const nameEntry = ({ type, location }: Entry): string => `${location}${type === 'folder' ? '/' : ''}`;

/** A line of `ls -l`. Its `etag` is what `put --if-match` takes, without quotes that a shell would eat. */
function describe(entry: Entry): Row {
  const { size, updated_at, version } = entry.type === 'folder' ? ({} as Partial<DocumentRecord>) : entry;
  return { location: nameEntry(entry), size, updated_at, updated_by: version?.author.display_name, etag: version?.id };
}

async function show(location: string, options: CalledWith): Promise<void> {
  const asJson = options['json'] === true;
  const isTerminal = process.stdout.isTTY;
  const decoder = new TextDecoder();
  const fields = { location, version: options['version'], record_only: asJson, text_only: isTerminal };
  const answer = await ask('cat', fields, options, async (progress) => {
    const bytes = Buffer.from((progress as { readonly bytes: string }).bytes, 'base64');
    if (isTerminal) await writeContent(decoder.decode(bytes, { stream: true }));
    else await writeBytes(bytes);
  });
  if ('error' in answer) fail(answer.error, asJson);
  else if (asJson) printJson(answer.result);
  else if ('is_withheld' in (answer.result as Row)) {
    const message = `${location} is not text, and a terminal would obey it. Write it to a file: \`cartulary cat LOCATION > FILE\`.`;
    fail({ code: 'INVALID_REQUEST', message, details: { reason: 'not_text' } }, false);
  }
}

async function put(location: string, file: string | undefined, options: CalledWith): Promise<void> {
  const asJson = options['json'] === true;
  const isInput = file === undefined || file === '-';
  const problem = isInput && location.endsWith('/') ? `${location} is a folder. Name the document.` : undefined;
  if (problem !== undefined) return fail({ code: 'USAGE', message: problem }, asJson);
  // A folder would be noticed only in the middle of the request.
  if (!isInput && (await stat(file)).isDirectory()) {
    return fail({ code: 'USAGE', message: `${file} is a folder. \`cartulary import\` brings in a folder.` }, asJson);
  }
  if (isInput && process.stdin.isTTY) note('The content comes from this terminal. Ctrl-D in an empty line ends it.');
  const { ifMatch: if_match, mediaType: media_type, replace, message } = options;
  const place = location.endsWith('/') ? `${location}${basename(file ?? '')}` : location;
  const content = isInput ? process.stdin : createReadStream(file);
  const fields = { location: place, if_match, replace, media_type, message };
  const answer = await ask('put', fields, options, undefined, content);
  content.destroy();
  printAnswer(answer, options);
}

async function search(words: readonly string[], options: CalledWith): Promise<void> {
  const asJson = options['json'] === true;
  const { in: folder, label, limit, context, exact, pattern } = options;
  if (exact === true && pattern === true) {
    return fail({ code: 'USAGE', message: 'Either --exact or --pattern, not both.' }, asJson);
  }
  const match = exact === true ? 'exact' : pattern === true ? 'pattern' : undefined;
  const answer = await ask('search', { words: words.join(' '), in: folder, label, limit, match, context }, options);
  if ('error' in answer) return fail(answer.error, asJson);
  const {
    items,
    folders = [],
    did_you_mean: meant = [],
  } = answer.result as {
    readonly items: readonly Row[];
    readonly folders?: readonly Row[];
    readonly did_you_mean?: readonly string[];
  };
  if (asJson) return printJson(answer.result);
  for (const { location } of folders) printLine(`${String(location)}/`);
  if (items.length === 0 && folders.length > 0) note('No document was found.');
  else if (items.length === 0)
    note(meant.length === 0 ? 'Nothing was found.' : `Nothing was found. Did you mean ${meant.join(', ')}?`);
  else if (match !== undefined) for (const item of items) printFoundLine(item as unknown as FoundLine);
  else
    for (const { location, snippet } of items) {
      printLine(String(location));
      const text = String(snippet).replaceAll(/\s+/g, ' ').trim();
      if (text !== '') printLine(`  ${text}`);
    }
}

type FoundLine = ReturnType<typeof toLineRecord>;

/** A line as grep shows it, with the lines around it. */
function printFoundLine(item: FoundLine): void {
  const { location } = item.document;
  if (!('line' in item)) return printLine(`${location}: changed meanwhile, the rest of it was passed over`);
  const { line, before, text, after } = item;
  for (const [index, around] of before.entries()) printLine(`${location}-${line - before.length + index}- ${around}`);
  printLine(`${location}:${line}: ${text}`);
  for (const [index, around] of after.entries()) printLine(`${location}-${line + 1 + index}- ${around}`);
}

async function moveItem(from: string, to: string, options: CalledWith): Promise<void> {
  const { ifMatch: if_match, acceptAccess: accept_access } = options;
  printAnswer(await ask('mv', { from, to, if_match, accept_access }, options), options);
}

async function remove(location: string, options: CalledWith): Promise<void> {
  const answer = await ask('rm', { location, if_match: options['ifMatch'] }, options);
  printAnswer(answer, options);
  if ('result' in answer) note(`Bring it back with: cartulary document undelete ${quoteWord(location)}`);
}

function printAnswer(answer: CommandAnswer, options: CalledWith): void {
  if ('error' in answer) fail(answer.error, options['json'] === true);
  else if (options['quiet'] === true) printIds(answer.result);
  else printResult(answer.result, options['json'] === true);
}

function ask(
  command: string,
  fields: Row,
  options: CalledWith,
  onProgress?: (progress: unknown) => Promise<void>,
  content?: AsyncIterable<Uint8Array>,
): Promise<CommandAnswer> {
  const config = readConfig(options);
  return askOwner(config, { command, workspace: config.workspace ?? undefined, fields }, onProgress, content);
}
