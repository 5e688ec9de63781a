import type { Heading } from '../text/outline.js';

/** Headings in one answer. */
const maxHeadings = 300;

export interface ShownOutline {
  readonly outline: readonly object[];
  readonly outline_complete: boolean;
}

/**
 * A document's headings with the sizes of their sections. Of very many, the deepest are left out. Where even the
 * highest level has too many, the first are shown.
 */
export function presentOutline(text: string, headings: readonly Heading[]): ShownOutline {
  const ofLevel = [0, 0, 0, 0, 0, 0, 0];
  for (const { level } of headings) ofLevel[level] = (ofLevel[level] ?? 0) + 1;
  let deepest = 6;
  for (let count = headings.length; count > maxHeadings && deepest > 1; deepest -= 1) count -= ofLevel[deepest] ?? 0;
  const shown: Heading[] = [];
  for (const heading of headings) {
    if (shown.length === maxHeadings) break;
    if (heading.level <= deepest) shown.push(heading);
  }
  const startOf = placeLines(
    text,
    shown.flatMap(({ line, lastLine }) => [line, lastLine + 1]),
  );
  const outline = shown.map(({ id, title, level, line, lastLine }) => ({
    id,
    heading: title,
    level,
    start_line: line,
    lines: lastLine - line + 1,
    chars: startOf(lastLine + 1) - startOf(line),
  }));
  return { outline, outline_complete: shown.length === headings.length };
}

/** The starts of these lines; the text's end for a line behind the last. Only the wanted starts are kept. */
function placeLines(text: string, lines: readonly number[]): (line: number) => number {
  const starts = new Map<number, number>();
  const wanted = [...new Set(lines)].toSorted((a, b) => a - b);
  let line = 1;
  let at = 0;
  for (const next of wanted) {
    for (; line < next && at < text.length; line += 1) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    }
    starts.set(next, at);
  }
  return (asked) => starts.get(asked) ?? text.length;
}
