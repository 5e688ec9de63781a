import { cutLines } from './cut-lines.js';
import type { Steps } from '../scheduling/in-steps.js';
import type { DiffLine, Hunk, LinePart, TextDiff } from './text-diff.js';
import { diffInSteps, diffSequences, Numbering, type Effort, type DiffHunk } from './diff-sequences.js';

/** Lines shown around a change. */
const usualContext = 3;
/**
 * Bounds of a whole comparison, and of the marking of words in it, on the thread that answers all requests. Together
 * they take a few hundredths of a second, for any texts.
 */
export const forLines = { steps: 150_000, comparisons: 1_000_000 } as const;
const forWords = { steps: 30_000, comparisons: 200_000 } as const;
/** Words are marked in lines of up to so many UTF-16 units. */
const maxMarkedLength = 20_000;
/** Maximum of lines in a compared text. */
export const maxCompared = 50_000;
/** In longer ranges of replaced lines no words are marked: they hardly correspond line by line. */
const maxPairedLength = 500;
/** Of one line, this many parts are shown at most; one with more is marked as a whole. */
const maxParts = 400;

const wordPattern = /[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu;

/** How two texts are compared. */
interface Comparing {
  /** Lines shown around a change. */
  readonly context: number;
  /** Whether the changed words of a line are marked. */
  readonly marksWords: boolean;
}

/**
 * Compares two texts line by line, and lines that replace each other word by word. Its work is bounded for any texts.
 * Where they differ too much for the shortest diff, a larger range is shown as replaced.
 */
export function diffTexts(
  from: string,
  to: string,
  { context = usualContext, marksWords = true }: Partial<Comparing> = {},
): TextDiff {
  const comparison = compare(from, to, { context, marksWords });
  for (;;) {
    const { done, value } = comparison.next();
    if (done === true) return value;
  }
}

/**
 * The same in pieces, with turns for others in between: for texts by strangers.
 * @param rest waits between two pieces
 */
export async function diffTextsInPieces(from: string, to: string, rest: () => Promise<unknown>): Promise<TextDiff> {
  const comparison = compare(from, to, { context: usualContext, marksWords: true });
  for (;;) {
    const { done, value } = comparison.next();
    if (done === true) return value;
    await rest();
  }
}

/** Lines described in one piece. */
const linesAPiece = 2000;

/**
 * Yields where it can pause. Each piece takes a few milliseconds; `forLines` bounds the search for the shortest edit.
 */
function* compare(from: string, to: string, { context, marksWords }: Comparing): Steps<TextDiff> {
  const fromLines = cutLines(from);
  const toLines = cutLines(to);
  yield;
  const numbering = new Numbering();
  const fromNumbers = yield* numbering.numberInSteps(fromLines);
  yield;
  const toNumbers = yield* numbering.numberInSteps(toLines);
  yield;
  const effort: Effort = { ...forLines, isExhausted: false };
  const ranges = yield* diffInSteps(fromNumbers, toNumbers, effort);
  yield;
  const words: Effort = { ...forWords, ...(marksWords ? {} : { steps: 0 }), isExhausted: false };
  const hunks: Hunk[] = [];
  let described = 0;
  for (const group of makeHunks(ranges, context)) {
    const lines: DiffLine[] = [];
    for (const range of group) {
      const more = describeRange(range, fromLines, toLines, words);
      for (const line of more) lines.push(line);
      described += more.length;
      if (described < linesAPiece) continue;
      described = 0;
      yield;
    }
    hunks.push(describeHunk(group, lines));
  }
  const changed = ranges.filter(({ isSame }) => !isSame);
  return {
    hunks,
    added: changed.reduce((sum, { toStart, toEnd }) => sum + toEnd - toStart, 0),
    removed: changed.reduce((sum, { fromStart, fromEnd }) => sum + fromEnd - fromStart, 0),
    isShortest: !effort.isExhausted,
  };
}

/** Groups close changes, with the equal lines around them cut down to the context. */
function makeHunks(ranges: readonly DiffHunk[], context: number): DiffHunk[][] {
  const hunks: DiffHunk[][] = [];
  let group: DiffHunk[] = [];
  for (const [index, range] of ranges.entries()) {
    if (!range.isSame) {
      group.push(range);
      continue;
    }
    const length = range.fromEnd - range.fromStart;
    const isFirst = group.length === 0;
    const isLast = index === ranges.length - 1;
    if (!isFirst && !isLast && length <= 2 * context) {
      group.push(range);
      continue;
    }
    if (!isFirst) {
      const kept = Math.min(context, length);
      if (kept > 0) {
        group.push({ ...range, fromEnd: range.fromStart + kept, toEnd: range.toStart + kept });
      }
      hunks.push(group);
      group = [];
    }
    const kept = Math.min(context, length);
    if (!isLast && kept > 0) {
      group.push({ ...range, fromStart: range.fromEnd - kept, toStart: range.toEnd - kept });
    }
  }
  if (group.some(({ isSame }) => !isSame)) hunks.push(group);
  return hunks;
}

function describeHunk(group: readonly DiffHunk[], lines: readonly DiffLine[]): Hunk {
  const first = group[0] ?? { fromStart: 0, toStart: 0 };
  const countOf = (side: 'from' | 'to'): number => lines.filter((line) => line[side] !== null).length;
  const counts = { from: countOf('from'), to: countOf('to') };
  // As in unified diffs, an empty side names the line before.
  return {
    fromLine: first.fromStart + (counts.from === 0 ? 0 : 1),
    fromLines: counts.from,
    toLine: first.toStart + (counts.to === 0 ? 0 : 1),
    toLines: counts.to,
    lines,
  };
}

function describeLine(kind: DiffLine['kind'], line: string, from: number | null, to: number | null): DiffLine {
  const isEnded = line.endsWith('\n');
  return { kind, from, to, text: isEnded ? line.slice(0, -1) : line, parts: null, isEnded };
}

function describeRange(
  { isSame, fromStart, fromEnd, toStart, toEnd }: DiffHunk,
  fromLines: readonly string[],
  toLines: readonly string[],
  effort: Effort,
): DiffLine[] {
  if (isSame) {
    return fromLines
      .slice(fromStart, fromEnd)
      .map((line, index) => describeLine('same', line, fromStart + index + 1, toStart + index + 1));
  }
  const removed = fromLines
    .slice(fromStart, fromEnd)
    .map((line, index) => describeLine('removed', line, fromStart + index + 1, null));
  const added = toLines
    .slice(toStart, toEnd)
    .map((line, index) => describeLine('added', line, null, toStart + index + 1));
  if (removed.length > maxPairedLength || added.length > maxPairedLength) return [...removed, ...added];
  // Lines are paired in order. In a range that replaces few lines by many, the last ones stay unpaired.
  for (let index = 0; index < Math.min(removed.length, added.length); index += 1) {
    const [before, after] = [removed[index], added[index]];
    const parts = before === undefined || after === undefined ? undefined : diffWords(before.text, after.text, effort);
    if (before === undefined || after === undefined || parts === undefined) continue;
    removed[index] = { ...before, parts: parts.from };
    added[index] = { ...after, parts: parts.to };
  }
  return [...removed, ...added];
}

/** The changes between two lines; undefined when hardly anything is the same or the effort is used up. */
function diffWords(
  from: string,
  to: string,
  effort: Effort,
): { readonly from: LinePart[]; readonly to: LinePart[] } | undefined {
  if (effort.steps <= 0 || from.length + to.length > 2 * maxMarkedLength) return undefined;
  const fromWords = from.match(wordPattern) ?? [];
  const toWords = to.match(wordPattern) ?? [];
  effort.steps -= fromWords.length + toWords.length;
  const numbering = new Numbering();
  const ranges = diffSequences(numbering.numberOf(fromWords), numbering.numberOf(toWords), effort);
  const isAlike = ranges.some(
    ({ isSame, fromStart, fromEnd }) =>
      isSame && fromWords.slice(fromStart, fromEnd).some((word) => word.trim() !== ''),
  );
  if (!isAlike || ranges.length > maxParts) return undefined;
  const partsOf = (words: readonly string[], side: 'from' | 'to'): LinePart[] =>
    ranges
      .map((range) => ({
        text: words.slice(range[`${side}Start`], range[`${side}End`]).join(''),
        isChanged: !range.isSame,
      }))
      .filter(({ text }) => text !== '');
  return { from: partsOf(fromWords, 'from'), to: partsOf(toWords, 'to') };
}
