import type { CutOutline } from '../text/cut-outline.js';

export interface ShownOutline {
  readonly outline: readonly object[];
  readonly outline_complete: boolean;
}

/** A document's headings with the sizes of their sections. */
export function presentOutline({ headings, isComplete }: CutOutline): ShownOutline {
  const outline = headings.map(({ id, title, level, line, length }) => ({
    id,
    heading: title,
    level,
    start_line: line,
    chars: length,
  }));
  return { outline, outline_complete: isComplete };
}
