import { once } from 'node:events';
import { inspect } from 'node:util';
import { escapeJson, showLine, showText } from '../lib/domain/visible-text.js';
import { findTerminalSettings } from '../lib/config/environment.js';
import type { CommandError } from '../lib/commands/command.js';
import { nameCommands } from './command-name.js';
import { formatTable } from './table.js';

/*
 * All output to a terminal goes through here. Texts come from other people's documents, names of files and
 * repositories. A terminal must show them, and not obey them.
 */

/** Prints lines for people. */
export function printText(text: string): void {
  console.log(showText(text));
}

/** Prints one line for people, whatever its characters. On a terminal, the words for a problem are red. */
export function printLine(line: string): void {
  const shown = showLine(line);
  const isColoured = process.stdout.isTTY && !findTerminalSettings().noColor;
  console.log(isColoured ? shown.replace(/^problem\b|\bBROKEN\b/, '\u001B[31m$&\u001B[39m') : shown);
}

/** Prints a line of JSON for machines. */
export function printJson(value: unknown): void {
  console.log(escapeJson(JSON.stringify(value)));
}

/** Prints a message beside the result, on standard error. */
export function note(text: string): void {
  console.error(showText(text));
}

/** The same, without an end of line: a question. */
export function askFor(question: string): void {
  process.stderr.write(showText(question));
}

/**
 * Writes content unchanged into a pipe or a file, as git does. On a terminal it is escaped.
 * @param text with its own ends of lines
 */
export async function writeContent(text: string): Promise<void> {
  const written = process.stdout.write(process.stdout.isTTY ? showText(text) : text);
  if (!written) await once(process.stdout, 'drain');
}

/** Writes a piece of content byte for byte, and waits for a slow reader. It is never for a terminal. */
export async function writeBytes(bytes: Uint8Array): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

/** Writes lines of JSON, and waits for a slow reader. */
export async function writeJsonLines(lines: readonly string[]): Promise<void> {
  if (!process.stdout.write(`${lines.map(escapeJson).join('\n')}\n`)) await once(process.stdout, 'drain');
}

/** Progress: a line that a terminal overwrites, and a file keeps. */
export function showProgress(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r${showLine(line)}\u001B[K` : `${showLine(line)}\n`);
}

/** The same on a terminal alone. */
export function showPassing(line: string): void {
  if (process.stderr.isTTY) showProgress(line);
}

/** Removes such a line, or leaves it and begins the next. */
export function endProgress(line: 'kept' | 'removed'): void {
  if (process.stderr.isTTY) process.stderr.write(line === 'kept' ? '\n' : '\r\u001B[K');
}

/** Prints a result: one line of JSON for machines, or lines for people. */
export function printResult(result: unknown, asJson: boolean): void {
  if (asJson) printJson(result);
  else if (isList(result) && result.items.length === 0) note('There are none.');
  else console.log(formatForPeople(result));
  if (!asJson && isList(result) && result.is_cut === true) note('There is more. This is what fits into one answer.');
}

/** Prints a table, or a record for each row. */
export function printRows(rows: readonly Readonly<Record<string, unknown>>[]): void {
  console.log(formatRows(rows));
}

/** The names under which results have what a script goes on with, the first ones before others. */
const wanted = ['key', 'link', 'secret', 'id', 'version', 'commit', 'location', 'number'] as const;

/** Prints only the key, the link, the secret, the id or the number of a result, a line for each item of a list. */
export function printIds(result: unknown): void {
  for (const row of isList(result) ? result.items : [result as Row]) {
    const name = wanted.find((each) => typeof row[each] === 'string' || (each === 'number' && each in row));
    if (name !== undefined) printLine(String(row[name]));
  }
}

function isList(result: unknown): result is { readonly items: readonly Row[]; readonly is_cut?: boolean } {
  return typeof result === 'object' && result !== null && 'items' in result && Array.isArray(result.items);
}

/** Exit codes: refused or failed, called wrongly. */
export const refused = 1;
export const misused = 2;

/** Reasons that lie in the words of the command, not in the state of the data. */
const aboutTheCall: ReadonlySet<unknown> = new Set([
  'bad_field',
  'bad_location',
  'missing_field',
  'unknown_field',
  'bad_settings',
]);

/** Prints why something was not done, and sets the exit code for it. */
export function fail(error: CommandError, asJson: boolean): void {
  printFailure(error, asJson ? 'json' : 'text');
  process.exitCode = error.code === 'USAGE' || aboutTheCall.has(error.details?.['reason']) ? misused : refused;
}

/** Prints the reason of a refusal: for people on standard error, for machines also as JSON on standard output. */
export function printFailure(error: CommandError, form: 'text' | 'json' | 'json only'): void {
  const named = { ...error, message: nameCommands(error.message) };
  if (form !== 'text') printJson({ error: named });
  if (form !== 'json only') note(`cartulary: ${named.message}`);
}

/** Reports an internal fault, with its origin. */
export function printFault(what: string, cause: unknown): void {
  note(`cartulary: ${what}${cause === undefined ? '' : `: ${inspect(cause)}`}`);
}

/** Its texts are already safe to show. */
function formatForPeople(result: unknown): string {
  if (typeof result !== 'object' || result === null) return showText(String(result));
  if (isList(result)) return formatRows(result.items);
  const lines = formatRecord(result as Row);
  if ('key' in result) return `${lines}\n\nThe key is shown this once and stored nowhere. Keep it safe.`;
  if ('secret' in result && result.secret !== null) return `${lines}\n\nThe secret is shown this once. Keep it safe.`;
  return lines;
}

type Row = Readonly<Record<string, unknown>>;

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  // Empty is a value too: the root of the workspace.
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(formatValue).join(' ');
  if (typeof value !== 'object') return JSON.stringify(value);
  if ('id' in value && ('type' in value || 'kind' in value)) {
    const type = 'type' in value ? `${formatValue(value.type)}:` : '';
    const name = 'display_name' in value ? ` (${formatValue(value.display_name)})` : '';
    return `${type}${formatValue(value.id)}${name}`;
  }
  if ('id' in value && 'display_name' in value) return `${formatValue(value.id)} (${formatValue(value.display_name)})`;
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${formatValue(inner)}`)
    .join(', ');
}

/**
 * `name  value`, a line each. A text of several lines continues below its beginning, so that no line of it looks like a
 * name.
 */
function formatRecord(record: Row): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  const below = `\n${' '.repeat(width + 2)}`;
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${showText(formatValue(value)).replaceAll('\n', below)}`)
    .join('\n');
}

/** A table leaves out its last columns before it becomes records. */
const minColumns = 3;

/** A principal or group by its name alone. */
function formatShort(value: unknown): string {
  const isNamed = typeof value === 'object' && value !== null && 'display_name' in value;
  return formatValue(isNamed ? value.display_name : value);
}

/** A table; or, where a terminal is too narrow for it, a record for each row. */
function formatRows(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const width = findTerminalSettings().columns ?? (process.stdout.isTTY ? process.stdout.columns : undefined);
  const format = width === undefined ? formatValue : formatShort;
  const isHash = (column: string): boolean => rows.some((row) => /^[0-9a-f]{40}$/.test(String(row[column])));
  // A table does without the names of commits first, then without its last columns.
  const leaving = [...columns.filter(isHash), ...columns.filter((column) => !isHash(column)).toReversed()];
  for (let left = 0; left <= Math.max(0, columns.length - minColumns); left += 1) {
    const without = leaving.slice(0, left);
    const shown = columns.filter((column) => !without.includes(column));
    const cells = rows.map((row) => shown.map((column) => format(row[column])));
    const table = formatTable(shown, cells, width);
    if (table === undefined) continue;
    if (left > 0) note(`Too narrow for ${without.join(', ')}: --json has them.`);
    return table;
  }
  return rows.map(formatRecord).join('\n\n');
}
