import type { Heading } from '../domain/outline.js';

/** Headings that one answer shows. */
const mostHeadings = 300;

export interface ShownOutline {
  readonly outline: readonly object[];
  readonly outline_complete: boolean;
}

/**
 * A document's headings with the sizes of their sections. Of very many the deepest are left out; where even the highest
 * level has too many, the first are shown.
 */
export function presentOutline(text: string, headings: readonly Heading[]): ShownOutline {
  let shown = headings;
  for (let deepest = 5; shown.length > mostHeadings && deepest >= 1; deepest -= 1) {
    shown = headings.filter(({ level }) => level <= deepest);
  }
  shown = shown.slice(0, mostHeadings);
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const outline = shown.map(({ id, title, level, line, lastLine }) => ({
    id,
    heading: title,
    level,
    start_line: line,
    lines: lastLine - line + 1,
    chars: (starts[lastLine] ?? text.length) - (starts[line - 1] ?? 0),
  }));
  return { outline, outline_complete: shown.length === headings.length };
}
