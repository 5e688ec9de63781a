import { showLine } from '../lib/domain/visible-text.js';

/** The fewest characters that a shortened column keeps. */
const fewest = 10;
const between = '  ';

/** Ids are handed to other commands, and a part of a time misleads: both stay whole. */
const whole = /^(?:(?:principal:|group:)?[a-z]{3}_|[0-9a-f]{40}$|[0-9a-z]{16}$|\d{4}-\d\d-\d\d \d\d:\d\d$)/;
const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/;

/**
 * A heading and a line for each row, in columns. Of a text of several lines it shows the first. Where the width is
 * known, empty columns are left out, times have minutes, and the widest columns are cut.
 * @param rows texts by column
 * @param width characters of the terminal; undefined for a file or a pipe
 * @returns undefined when it does not fit the width
 */
export function formatTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): string | undefined {
  const isEmpty = (index: number): boolean => rows.every((row) => row[index] === '-');
  const shown = columns.map((_, index) => index).filter((index) => width === undefined || !isEmpty(index));
  const cells = [columns, ...rows].map((row) => shown.map((index) => showCell(row[index] ?? '', width !== undefined)));
  const widths = shown.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  if (width !== undefined && !shrink(widths, cells, width)) return undefined;
  return cells
    .map((line) =>
      line
        .map((cell, at) => cut(cell, widths[at] ?? 0).padEnd(widths[at] ?? 0))
        .join(between)
        .trimEnd(),
    )
    .join('\n');
}

function showCell(text: string, isShort: boolean): string {
  const [first = '', ...others] = text.split('\n');
  const line = showLine(others.length > 0 ? `${first} …` : first);
  return isShort ? line.replace(time, '$1 $2') : line;
}

/** Makes the widest columns narrower until all fit. @returns whether they do */
function shrink(widths: number[], cells: readonly (readonly string[])[], width: number): boolean {
  const least = widths.map((each, at) => {
    const longest = Math.max(0, ...cells.slice(1).map((line) => (whole.test(line[at] ?? '') ? each : 0)));
    return Math.max(longest, Math.min(each, Math.max(fewest, cells[0]?.[at]?.length ?? 0)));
  });
  const total = (): number => widths.reduce((sum, each) => sum + each, between.length * (widths.length - 1));
  while (total() > width) {
    const excess = widths.map((each, at) => each - (least[at] ?? each));
    const widest = excess.indexOf(Math.max(...excess));
    if ((excess[widest] ?? 0) <= 0) return false;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return true;
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
