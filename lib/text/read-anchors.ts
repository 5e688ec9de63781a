import type { DocumentEdit, Splice } from './document-edit.js';
import { findHeading } from './find-heading.js';
import { placeLines, readOutlineInSteps, type Heading } from './outline.js';

/** Maximum of units before and after a place that belong to its surroundings. */
const maxAround = 2000;
/** Headings between two pauses. */
const headingsBetweenPauses = 4000;

const looksLikeHeading = /^ {0,3}#{1,6}(?:[ \t]|$)/;

/**
 * What an edit relies on in a text, beyond its own words. Two texts with the same anchors mean the same place by it.
 *
 * - A replaced text relies on its lines, on the next line with words on either side, and on the headings above it.
 * - A replaced section relies on all of its text.
 * - The other edits of a section rely on its heading, on the headings above it, and on those of the same words.
 * - Additions to a section and behind it rely on where it ends too: on the headings in it, and on the one that ends it.
 * - An addition at the end relies on nothing.
 *
 * @param text with LF alone, as `locateEdit` takes it
 * @param splices as `locateEdit` returned them for this edit in this text
 */
export function* readAnchors(
  text: string,
  edit: DocumentEdit,
  splices: readonly Splice[],
  isMarkdown: boolean,
): Generator<void, string[]> {
  if (edit.op === 'append') return [];
  const headings = isMarkdown || edit.op !== 'replace_text' ? yield* readOutlineInSteps(text) : [];
  yield;
  if (edit.op === 'replace_text') {
    const paths = yield* pathsAt(text, headings, splices);
    yield;
    return splices.flatMap((splice, index) => [paths[index] ?? '', ...around(text, splice)]);
  }
  const named = findHeading(headings, edit.section);
  const alike = headings.filter(({ title }) => title === named.title);
  const place = `${alike.indexOf(named) + 1} of ${alike.length}`;
  const path = pathOf([...above(headings, named), named]);
  if (edit.op === 'insert_before_section') return [path, place];
  if (edit.op !== 'replace_section') return [path, place, ...endOf(headings, named)];
  const { start, stop } = yield* placeLines(text, named);
  return [path, place, text.slice(start, stop).trimEnd()];
}

const pathOf = (headings: readonly Heading[]): string =>
  headings.map(({ level, title }) => `${level} ${title}`).join('\n');

/** The headings whose sections hold this one, the highest first. */
function above(headings: readonly Heading[], named: Heading): Heading[] {
  return headings.filter(
    ({ line, lastLine, level }) => line < named.line && named.line <= lastLine && level < named.level,
  );
}

/** The headings in a section, and the one that ends it; '' for the end of the text. */
function endOf(headings: readonly Heading[], { line, lastLine }: Heading): [string, string] {
  const inside = headings.filter((each) => each.line > line && each.line <= lastLine);
  const ending = headings.find((each) => each.line > lastLine);
  return [pathOf(inside), ending === undefined ? '' : pathOf([ending])];
}

/** The headings above each place, in one pass: both rise. */
function* pathsAt(
  text: string,
  headings: readonly Heading[],
  splices: readonly Splice[],
): Generator<void, readonly string[]> {
  const open: Heading[] = [];
  const paths: string[] = [];
  let line = 1;
  let at = text.indexOf('\n');
  let next = 0;
  for (const { start } of splices) {
    for (; at >= 0 && at < start; at = text.indexOf('\n', at + 1)) line += 1;
    for (let heading = headings[next]; heading !== undefined && heading.line <= line; heading = headings[next]) {
      while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
      open.push(heading);
      next += 1;
      if (next % headingsBetweenPauses === 0) yield;
    }
    paths.push(pathOf(open));
  }
  return paths;
}

/** The text before and after a place, each to the end of the next line with words that is no heading. */
function around(text: string, { start, end }: Splice): [string, string] {
  const first = Math.max(0, start - maxAround);
  const last = Math.min(text.length, end + maxAround);
  const before = text.slice(first, start).split('\n');
  const after = text.slice(end, last).split('\n');
  return [takeOneWithWords(before.toReversed()).toReversed().join('\n'), takeOneWithWords(after).join('\n')];
}

/** The first line, and those up to the next one with words; without that one where it is a heading. */
function takeOneWithWords([own = '', ...lines]: readonly string[]): string[] {
  const found = lines.findIndex((line) => line.trim() !== '');
  if (found < 0) return [own];
  const next = lines[found] ?? '';
  return looksLikeHeading.test(next) ? [own] : [own, ...lines.slice(0, found + 1)];
}
