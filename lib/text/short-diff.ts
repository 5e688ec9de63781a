import { formatUnified } from './text-diff.js';
import { diffTexts } from './diff-texts.js';
import { countLineFeeds } from './line-number.js';
import { sameAtEnd, sameAtStart } from './same-ends.js';

export interface ShortDiff {
  /** Unified, without a header; an excerpt around the change where there is too much to compare. */
  readonly diff: string;
  /** Whether some of it, or all, was left out. */
  readonly isTruncated: boolean;
}

const context = 3;
/** Maximum of units and lines compared between the first and the last difference. */
const maxCompared = 256 * 1024;
const maxLines = 5000;
const maxShown = 4000;

/** The start of the line that lies `lines` before the one of this offset. */
function lineBefore(text: string, offset: number, lines: number): number {
  let at = offset;
  for (let left = lines; left >= 0 && at > 0; left -= 1)
    at = text.lastIndexOf('\n', at - 1 - (left < lines ? 1 : 0)) + 1;
  return Math.max(0, at);
}

/** The end, line end included, of the line that lies `lines` after the one of this offset. */
function lineAfter(text: string, offset: number, lines: number): number {
  let at = offset;
  for (let left = lines; left >= 0 && at < text.length; left -= 1) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return at;
}

/** Characters shown before and behind what changed, and of that itself. */
const around = 80;
const maxChanged = 400;

/** The place of a change in lines that are too long to show: the characters around it, with the number of its line. */
function excerptChange(from: string, to: string): string {
  const start = sameAtStart(from, to);
  const same = sameAtEnd(from, to, start);
  const line = countLineFeeds(from.slice(0, start)) + 1;
  const column = start - from.lastIndexOf('\n', start - 1);
  const [removed, added] = [from, to].map((text) => {
    const lineStart = text.lastIndexOf('\n', start - 1) + 1;
    const begin = Math.max(lineStart, start - around);
    const changeEnd = Math.min(text.length - same, start + maxChanged);
    const lineEnd = text.indexOf('\n', start);
    const end = Math.min(lineEnd < 0 ? text.length : lineEnd, changeEnd + around);
    const shown = text.slice(begin, Math.max(end, start)).replace(/\p{Surrogate}/gu, '');
    return `${begin > lineStart ? '…' : ''}${shown}${end < (lineEnd < 0 ? text.length : lineEnd) ? '…' : ''}`;
  });
  return `@@ -${line} +${line} @@ from character ${column}\n-${removed}\n+${added}\n`;
}

/** The changes between two texts, short enough for a model to read. Equal text around them costs next to nothing. */
export function makeShortDiff(from: string, to: string): ShortDiff {
  if (from === to) return { diff: '', isTruncated: false };
  const start = lineBefore(from, sameAtStart(from, to), context);
  const same = sameAtEnd(from, to, start);
  const fromEnd = lineAfter(from, from.length - same, context);
  const toEnd = fromEnd - from.length + to.length;
  const [fromMiddle, toMiddle] = [from.slice(start, fromEnd), to.slice(start, toEnd)];
  if (fromMiddle.length + toMiddle.length > maxCompared || countLineFeeds(fromMiddle + toMiddle) > maxLines) {
    return { diff: excerptChange(from, to), isTruncated: true };
  }
  const skipped = countLineFeeds(from.slice(0, start));
  // A unified diff shows whole lines.
  const { hunks, ...rest } = diffTexts(fromMiddle, toMiddle, { context, marksWords: false });
  const placed = hunks.map((hunk) => ({
    ...hunk,
    fromLine: hunk.fromLine + skipped,
    toLine: hunk.toLine + skipped,
  }));
  const diff = formatUnified({ ...rest, hunks: placed });
  if (diff.length <= maxShown) return { diff, isTruncated: false };
  const end = diff.lastIndexOf('\n', maxShown);
  // The first lines of the hunk may be equal ones, and long.
  if (!/^[+-]/m.test(diff.slice(diff.indexOf('\n') + 1, end + 1))) {
    return { diff: excerptChange(from, to), isTruncated: true };
  }
  return { diff: diff.slice(0, end < 0 ? maxShown : end + 1).replace(/\p{Surrogate}/gu, ''), isTruncated: true };
}
