import { readOutlineInSteps } from './outline.js';

/** Where in a text something stands. */
export interface TextPlace {
  /** From 1. */
  readonly line: number;
  /** Id of the innermost heading above it; undefined before the first one, or where there are none. */
  readonly section: string | undefined;
}

/** The longest heading, with the line under it. UTF-16 units. */
const maxHeading = 4000;

/**
 * The line and the section of an offset in a text. Works in steps.
 * @param offset in UTF-16 units
 * @param isMarkdown whether any line under another makes it a heading
 */
export function* findPlace(text: string, offset: number, isMarkdown: boolean): Generator<void, TextPlace> {
  const line = yield* countLines(text, offset);
  const headings = yield* readOutlineInSteps(text.slice(0, offset + maxHeading));
  return {
    line,
    section: headings.findLast((heading) => heading.line <= line && (isMarkdown || !heading.isLoose))?.id,
  };
}

/** Lines counted in one step. */
const linesAtOnce = 1 << 16;

/** The number of the line with the place, from 1. */
function* countLines(text: string, place: number): Generator<void, number> {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) {
    line += 1;
    if (line % linesAtOnce === 0) yield;
  }
  return line;
}
