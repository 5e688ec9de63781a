import type { components } from '../../api/described.d.ts';

export type DiffLine = components['schemas']['DiffLine'];
export type DiffHunk = components['schemas']['DiffHunk'];
type LinePart = NonNullable<DiffLine['parts']>[number];

/** A row of a diff side by side, or of a unified one: there a line stands on one side alone, or on both. */
export interface DiffRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
  /** The number of the change that begins here, from 0. */
  readonly startsChange: number | null;
}

/** Rows that are shown together. */
export interface DiffBlock {
  readonly rows: readonly DiffRow[];
  /** Unchanged lines before it that are folded; null for a block that goes on where the last one ended. */
  readonly fold: Fold | null;
}

/** Unchanged lines that the answer leaves out. */
export interface Fold {
  /** The first line in the newer text, from 1. */
  readonly line: number;
  /** Undefined up to the end of the text. */
  readonly lines: number | undefined;
  /** What to add to a number of the newer text for the older one. */
  readonly offset: number;
}

/** Rows of a long stretch that are shown at once. */
const rowsOfABlock = 150;

/** Puts the lines of a stretch of changes next to each other, in their order. */
function pairChanges(changes: readonly DiffLine[], isSideBySide: boolean): DiffRow[] {
  const removed = changes.filter(({ kind }) => kind === 'removed');
  const added = changes.filter(({ kind }) => kind === 'added');
  const row = (left: DiffLine | undefined, right: DiffLine | undefined): DiffRow => ({
    left: left ?? null,
    right: right ?? null,
    startsChange: null,
  });
  if (!isSideBySide)
    return [...removed.map((line) => row(line, undefined)), ...added.map((line) => row(undefined, line))];
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) =>
    row(removed[index], added[index]),
  );
}

function rowsOf(hunk: DiffHunk, isSideBySide: boolean, firstChange: number): { rows: DiffRow[]; changes: number } {
  const rows: DiffRow[] = [];
  let changes = 0;
  let pending: DiffLine[] = [];
  const flush = (): void => {
    const [first, ...rest] = pairChanges(pending, isSideBySide);
    pending = [];
    if (first === undefined) return;
    rows.push({ ...first, startsChange: firstChange + changes });
    for (const row of rest) rows.push(row);
    changes += 1;
  };
  for (const line of hunk.lines) {
    if (line.kind === 'same') {
      flush();
      rows.push({ left: line, right: line, startsChange: null });
    } else pending.push(line);
  }
  flush();
  return { rows, changes };
}

/** Where the lines of a hunk begin and end: an empty side names the line before it. */
function boundsOf({ from_line: from, from_lines: fromLines, to_line: to, to_lines: toLines }: DiffHunk): {
  from: number;
  to: number;
  fromEnd: number;
  toEnd: number;
} {
  const [fromStart, toStart] = [fromLines === 0 ? from + 1 : from, toLines === 0 ? to + 1 : to];
  return { from: fromStart, to: toStart, fromEnd: fromStart + fromLines, toEnd: toStart + toLines };
}

/** With less than this share of a longer line kept, marks of single words only confuse. */
const leastKept = 0.3;
const longLine = 30;

/**
 * The parts of a changed line as a person reads them: words next to each other are one change, spaces between them
 * included. A long line that is new almost as a whole has no parts.
 */
export function joinParts(parts: readonly LinePart[]): readonly LinePart[] | null {
  const lengthOf = (text: string): number => text.replaceAll(/\s/gu, '').length;
  const kept = parts.reduce((sum, { text, is_changed: isChanged }) => sum + (isChanged ? 0 : lengthOf(text)), 0);
  const whole = parts.reduce((sum, { text }) => sum + lengthOf(text), 0);
  if (whole > longLine && kept < leastKept * whole) return null;
  const joined: LinePart[] = [];
  for (const [index, part] of parts.entries()) {
    const isBetween = lengthOf(part.text) === 0 && joined.at(-1)?.is_changed === true && parts[index + 1]?.is_changed;
    const isChanged = part.is_changed || isBetween === true;
    const last = joined.at(-1);
    if (last?.is_changed === isChanged) joined[joined.length - 1] = { ...last, text: last.text + part.text };
    else joined.push({ text: part.text, is_changed: isChanged });
  }
  return joined;
}

/** A diff as blocks of rows, with the folds between them. */
export function makeBlocks(
  hunks: readonly DiffHunk[],
  isSideBySide: boolean,
): { blocks: readonly DiffBlock[]; changes: number; rest: Fold | null } {
  const blocks: DiffBlock[] = [];
  let changes = 0;
  let [nextFrom, nextTo] = [1, 1];
  for (const hunk of hunks) {
    const { from, to, fromEnd, toEnd } = boundsOf(hunk);
    const made = rowsOf(hunk, isSideBySide, changes);
    changes += made.changes;
    const fold = to > nextTo ? { line: nextTo, lines: to - nextTo, offset: from - to } : null;
    for (let start = 0; start < made.rows.length; start += rowsOfABlock) {
      blocks.push({ rows: made.rows.slice(start, start + rowsOfABlock), fold: start === 0 ? fold : null });
    }
    [nextFrom, nextTo] = [fromEnd, toEnd];
  }
  // A hunk that shows fewer than three equal lines at its end ends the text.
  const last = hunks.at(-1)?.lines.slice(-3) ?? [];
  const isEnd = last.length < 3 || last.some(({ kind, is_ended: isEnded }) => kind !== 'same' || !isEnded);
  const rest = hunks.length === 0 || isEnd ? null : { line: nextTo, lines: undefined, offset: nextFrom - nextTo };
  return { blocks, changes, rest };
}
