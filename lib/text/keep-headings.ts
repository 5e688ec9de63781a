import type { Splice } from './document-edit.js';
import { readOutlineInSteps, type Heading } from './outline.js';
import { invalidRequest } from '../domain/refusal.js';

/** Headings examined between two pauses. */
const headingsBetweenPauses = 4000;

/** A heading that no edit has touched, by the present start and end of its line. */
interface Kept {
  readonly heading: Heading;
  start: number;
  end: number;
  isTouched: boolean;
}

/**
 * Checks that edits leave alone all headings that they do not name. No heading may be joined to the line before it,
 * enclosed in a code block opened above it, or written a second time. For Markdown. All offsets count a text with LF
 * alone.
 */
export class HeadingGuard {
  readonly #kept: readonly Kept[];
  readonly #doubled: number;

  private constructor(kept: readonly Kept[], doubled: number) {
    this.#kept = kept;
    this.#doubled = doubled;
  }

  static *over(text: string): Generator<void, HeadingGuard> {
    const headings = yield* readOutlineInSteps(text);
    yield;
    const starts = placeHeadings(text, headings);
    yield;
    const kept: Kept[] = [];
    for (const [index, heading] of headings.entries()) {
      if (index % headingsBetweenPauses === 0) yield;
      const start = starts[index] ?? 0;
      const end = text.indexOf('\n', start);
      kept.push({ heading, start, end: end < 0 ? text.length : end, isTouched: false });
    }
    yield;
    return new HeadingGuard(kept, yield* countDoubled(text, headings, starts));
  }

  /** Follows the headings through one edit. From then on it no longer guards a heading that the edit itself changes. */
  follow(splices: readonly Splice[]): void {
    let shift = 0;
    let next = 0;
    for (const each of this.#kept) {
      for (let splice = splices[next]; splice !== undefined && splice.end <= each.start; splice = splices[next]) {
        shift += splice.words.length - (splice.end - splice.start);
        next += 1;
      }
      const splice = splices[next];
      if (splice !== undefined && splice.start < each.end) each.isTouched = true;
      each.start += shift;
      each.end += shift;
    }
  }

  /** @throws Refusal INVALID_REQUEST `heading_lost`, `heading_doubled` */
  *check(text: string): Generator<void, void> {
    const headings = yield* readOutlineInSteps(text);
    yield;
    const starts = placeHeadings(text, headings);
    yield;
    let next = 0;
    for (const { heading, start, isTouched } of this.#kept) {
      if (isTouched) continue;
      while (next < starts.length && (starts[next] ?? 0) < start) next += 1;
      const there = starts[next] === start ? headings[next] : undefined;
      if (there?.title === heading.title && there.level === heading.level) continue;
      throw invalidRequest(
        'heading_lost',
        `The heading "${heading.title}" would be no heading any more. Keep line ends and code blocks whole.`,
        { section: heading.id },
      );
    }
    yield;
    if ((yield* countDoubled(text, headings, starts)) > this.#doubled) {
      throw invalidRequest('heading_doubled', 'A heading would stand twice in a row. Leave it out of new_text.');
    }
  }
}

/** The offset of each heading's line. */
function placeHeadings(text: string, headings: readonly Heading[]): Int32Array {
  const starts = new Int32Array(headings.length);
  let line = 1;
  let at = 0;
  for (const [index, heading] of headings.entries()) {
    for (; line < heading.line; line += 1) at = text.indexOf('\n', at) + 1;
    starts[index] = at;
  }
  return starts;
}

/** How many headings repeat the one before them with nothing between but blanks and their underlines. */
function* countDoubled(text: string, headings: readonly Heading[], starts: Int32Array): Generator<void, number> {
  let doubled = 0;
  for (let index = 1; index < headings.length; index += 1) {
    if (index % headingsBetweenPauses === 0) yield;
    const [before, heading] = [headings[index - 1], headings[index]];
    if (before?.title !== heading?.title || before?.level !== heading?.level) continue;
    const lineEnd = text.indexOf('\n', starts[index - 1]);
    const between = text.slice(lineEnd + 1, starts[index]).split('\n');
    if (between.every((line) => line.trim() === '' || /^ *(?:=+|-+) *$/.test(line))) doubled += 1;
  }
  return doubled;
}
