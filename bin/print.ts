import type { CommandError } from '../lib/socket/command.js';

/** Prints a result: one line of JSON for machines, or lines for people. */
export function printResult(result: unknown, asJson: boolean): void {
  console.log(asJson ? JSON.stringify(result) : formatForPeople(result));
}

/** Exit codes: refused or failed, called wrongly. */
export const refused = 1;
export const misused = 2;

/** Reasons that lie in the words of the command, whatever the state of things is. */
const aboutTheCall: ReadonlySet<unknown> = new Set(['bad_field', 'bad_location', 'missing_field', 'unknown_field']);

/** Says why something was not done, and sets the exit code that goes with it. */
export function fail(error: CommandError, asJson: boolean): void {
  printFailure(error, asJson ? 'json' : 'text');
  process.exitCode = error.code === 'USAGE' || aboutTheCall.has(error.details?.['reason']) ? misused : refused;
}

/** Says why something was refused: to people on standard error, to machines also as JSON on standard output. */
export function printFailure(error: CommandError, form: 'text' | 'json' | 'json only'): void {
  if (form !== 'text') console.log(JSON.stringify({ error }));
  if (form !== 'json only') console.error(`cartulary: ${error.message}`);
}

function formatForPeople(result: unknown): string {
  if (typeof result !== 'object' || result === null) return String(result);
  if ('items' in result && Array.isArray(result.items)) return formatTable(result.items as Row[]);
  const shownOnce = 'secret' in result || 'key' in result;
  const lines = formatRecord(result as Row);
  return shownOnce ? `${lines}\n\nThe key is shown this once and stored nowhere. Keep it safe.` : lines;
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
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${formatValue(inner)}`)
    .join(', ');
}

/** `name  value`, a line each. */
function formatRecord(record: Row): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`)
    .join('\n');
}

/** A heading and a line for each row, in columns. */
function formatTable(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return 'There are none.';
  const cells = [columns, ...rows.map((row) => columns.map((column) => formatValue(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => (line[index] ?? '').length)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
