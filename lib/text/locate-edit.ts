import type { DocumentEdit, SectionEdit, Splice, TextReplacement } from './document-edit.js';
import { composeText, decomposeText, placeInRaw } from './compose-text.js';
import { findForwards } from './find-exact.js';
import { findHeading } from './find-heading.js';
import { placeLines, readOutlineInSteps, type Heading } from './outline.js';
import { invalidRequest } from '../domain/refusal.js';
import { findNearestLines } from './find-nearest-lines.js';

/** Maximum of line numbers in a refusal. */
const maxNamed = 20;

/** The places of an edit and their new text; the text has LF alone. Pauses on the way where that is long. */
export function* locateEdit(text: string, edit: DocumentEdit): Generator<void, Splice[]> {
  const newText = edit.newText.replaceAll('\r\n', '\n');
  if (edit.op === 'replace_text') return yield* locateText(text, { ...edit, newText });
  if (edit.op === 'append') return [addToEnd(text, newText)];
  return [yield* locateSection(text, { ...edit, newText })];
}

/** Lines between two pauses. */
const linesBetweenPauses = 50_000;

/** The line numbers of rising offsets. */
function* linesOf(text: string, offsets: readonly number[]): Generator<void, number[]> {
  const lines: number[] = [];
  let line = 1;
  let at = text.indexOf('\n');
  for (const offset of offsets) {
    for (; at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line += 1;
      if (line % linesBetweenPauses === 0) yield;
    }
    lines.push(line);
  }
  return lines;
}

/** @throws Refusal INVALID_REQUEST `no_match` with the nearest lines, `ambiguous` with the lines of the matches */
function* locateText(text: string, edit: TextReplacement): Generator<void, Splice[]> {
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  const most = Math.max(edit.count, maxNamed) + 1;
  const exact = yield* findForwards(text, oldText, 0, most);
  yield;
  if (exact.length === 0) return yield* locateOtherForm(text, { ...edit, oldText }, most);
  const spans = exact.map((start) => ({ start, end: start + oldText.length }));
  yield* requireCount(text, spans, edit.count, most);
  return spans.map((span) => ({ ...span, words: edit.newText }));
}

/**
 * The places of words that the text writes in another Unicode form. What comes in their place gets the form that they
 * have there, because a person cannot see the difference and a program would not write it.
 */
function* locateOtherForm(text: string, edit: TextReplacement, most: number): Generator<void, Splice[]> {
  const composed = yield* composeText(text);
  const { text: oldText } = yield* composeText(edit.oldText);
  yield;
  const found = yield* findForwards(composed.text, oldText, 0, most);
  yield;
  const spans = found.flatMap((place) => {
    const start = placeInRaw(composed, place);
    const end = placeInRaw(composed, place + oldText.length);
    return start === undefined || end === undefined ? [] : [{ start, end }];
  });
  if (spans.length === 0) {
    const nearest = yield* findNearestLines(text, edit.oldText);
    throw invalidRequest('no_match', 'old_text does not stand in the document, character for character.', { nearest });
  }
  yield* requireCount(text, spans, edit.count, most);
  // Once for all places: there can be a thousand of them, and the new text can be long.
  const isDecomposed = ({ start, end }: Span): boolean => end - start > oldText.length;
  const decomposed = spans.some(isDecomposed) ? yield* decomposeText(edit.newText) : edit.newText;
  return spans.map((span) => ({ ...span, words: isDecomposed(span) ? decomposed : edit.newText }));
}

/** A place of words in the text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** @throws Refusal INVALID_REQUEST `ambiguous` */
function* requireCount(text: string, spans: readonly Span[], count: number, most: number): Generator<void, void> {
  const places = spans.map(({ start }) => start);
  const overlap = spans.some(({ start }, index) => index > 0 && start < (spans[index - 1]?.end ?? 0));
  if (places.length === count && !overlap) return;
  throw invalidRequest(
    'ambiguous',
    `old_text stands in ${places.length === most ? 'many' : places.length} places${overlap ? ', which overlap' : ''}; expected were ${count}.`,
    { lines: yield* linesOf(text, places.slice(0, maxNamed)) },
  );
}

function addToEnd(text: string, newText: string): Splice {
  const isEnded = text === '' || text.endsWith('\n');
  const words = `${isEnded ? '' : '\n'}${newText}${isEnded && !newText.endsWith('\n') ? '\n' : ''}`;
  return { start: text.length, end: text.length, words };
}

const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** Behind a byte order mark too. */
const numberSigns = /^\ufeff? {0,3}#{1,6}(?:[ \t]|$)/;

/** Without the blank lines around it. A loop, because a pattern would take the square of a long run of blanks. */
function trimLines(text: string): string {
  let start = 0;
  for (let at = 0; at < text.length && isBlank(text.charCodeAt(at)); at += 1) if (text[at] === '\n') start = at + 1;
  return trimEndLines(text.slice(start));
}

function trimEndLines(text: string): string {
  let end = text.length;
  for (let at = end - 1; at >= 0 && isBlank(text.charCodeAt(at)); at -= 1) if (text[at] === '\n') end = at;
  return text.slice(0, end);
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0a;

/** A section's parts by their offsets; its body is without the blank lines around it. */
interface SectionPlace {
  readonly heading: number;
  readonly headingEnd: number;
  /** Where the body's first words start, and where its last words end; both the heading's end when there are none. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

function* placeSection(text: string, heading: Heading): Generator<void, SectionPlace> {
  const { start, stop } = yield* placeLines(text, heading);
  const endOf = (at: number): number => {
    const end = text.indexOf('\n', at);
    return end < 0 || end > stop ? stop : end;
  };
  let headingEnd = endOf(start);
  if (!numberSigns.test(text.slice(start, headingEnd))) {
    // An underlined heading reaches down to its underline.
    for (let at = start; headingEnd < stop && !underline.test(text.slice(at, headingEnd)); headingEnd = endOf(at)) {
      at = headingEnd + 1;
    }
  }
  const bodyAt = Math.min(headingEnd + 1, stop);
  const body = text.slice(bodyAt, stop);
  const words = body.trimEnd();
  if (words === '') return { heading: start, headingEnd, bodyStart: headingEnd, bodyEnd: headingEnd };
  const before = words.length - words.trimStart().length;
  const first = before === 0 ? 0 : words.lastIndexOf('\n', before - 1) + 1;
  return { heading: start, headingEnd, bodyStart: bodyAt + first, bodyEnd: endOf(bodyAt + words.length) };
}

/**
 * A section reaches down to the end of the sections below it. A caller that replaces its text must say what becomes of
 * them.
 * @throws Refusal INVALID_REQUEST `heading_lost` with the first heading below that is missing in the new text
 */
function* requireBelow(headings: readonly Heading[], named: Heading, words: string): Generator<void, void> {
  const below = headings.filter(({ line }) => line > named.line && line <= named.lastLine);
  if (below.length === 0) return;
  const keyOf = ({ level, title }: Heading): string => `${level} ${title}`;
  const left = new Map<string, number>();
  for (const heading of yield* readOutlineInSteps(words)) {
    left.set(keyOf(heading), (left.get(keyOf(heading)) ?? 0) + 1);
  }
  yield;
  for (const heading of below) {
    const count = left.get(keyOf(heading)) ?? 0;
    if (count === 0) {
      throw invalidRequest(
        'heading_lost',
        `"${heading.title}" stands below that heading, and new_text leaves it out.`,
        { section: heading.id },
      );
    }
    left.set(keyOf(heading), count - 1);
  }
}

function* locateSection(text: string, { op, section, newText }: SectionEdit): Generator<void, Splice> {
  const headings = yield* readOutlineInSteps(text);
  yield;
  const named = findHeading(headings, section);
  const { heading, headingEnd, bodyStart, bodyEnd } = yield* placeSection(text, named);
  const isEmpty = bodyStart === bodyEnd;
  const words = trimLines(newText);
  switch (op) {
    case 'replace_section':
      yield* requireBelow(headings, named, words);
      if (words === '') return { start: headingEnd, end: bodyEnd, words };
      return isEmpty ? insertBelow(text, bodyEnd, words) : { start: bodyStart, end: bodyEnd, words };
    case 'append_to_section':
      if (isEmpty) return insertBelow(text, bodyEnd, words);
      return { start: bodyEnd, end: bodyEnd, words: `\n${trimEndLines(newText)}` };
    case 'insert_before_section': {
      const before = text.slice(Math.max(0, heading - 2), heading);
      const gap = before === '' || before === '\n' || before === '\n\n' ? '' : '\n';
      return { start: heading, end: heading, words: `${gap}${words}\n\n` };
    }
    case 'insert_after_section':
      return insertBelow(text, bodyEnd, words);
  }
}

/** Puts words below the line that ends at `at`. A blank line goes before them, and one after where text follows. */
function insertBelow(text: string, at: number, words: string): Splice {
  const isFollowed = at + 1 < text.length && text[at + 1] !== '\n';
  return { start: at, end: at, words: `\n\n${words}${isFollowed ? '\n' : ''}` };
}
