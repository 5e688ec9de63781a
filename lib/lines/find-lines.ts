import { runAtOnce } from '../scheduling/in-steps.js';
import { composeText, placeInRaw, type ComposedText } from '../text/compose-text.js';
import { readOutline, type Heading } from '../text/outline.js';
import { isPlain, maxLineLength, type LineMatcher, type Span } from './line-query.js';

/** Where a search in a text goes on. */
export interface TextPosition {
  /** From 1. */
  readonly line: number;
  /** The window of that line, from 0. */
  readonly window: number;
}

export const startOfText: TextPosition = { line: 1, window: 0 };

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  /** Of the match, from 1, in UTF-16 units. */
  readonly column: number;
  /** The line, or a piece of it around the match. */
  readonly text: string;
  readonly cut: boolean;
  /** Id of the innermost heading above. Null before the first one, and where there are none. */
  readonly section: string | null;
  /** Lines around it, the beginnings of long ones. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface LinesFound {
  readonly lines: readonly FoundLine[];
  /** Where to go on. Null at the end of the text. */
  readonly next: TextPosition | null;
}

export interface LinesAsked {
  readonly from: TextPosition;
  /** Lines, at least one. */
  readonly most: number;
  /** Lines shown on either side of one. */
  readonly context: number;
}

/** Units of a line that are shown. */
const maxShown = 400;

/**
 * The lines of a text in which the matcher finds something, compared in the composed form of Unicode (NFC). A line ends
 * with LF or CRLF, and at the end of the text.
 * @param isMarkdown whether any line under another makes it a heading
 * @param isOver asked before each window but the first; true stops there, for the next call to go on
 */
export function findLines(
  text: string,
  isMarkdown: boolean,
  matcher: LineMatcher,
  { from, most, context }: LinesAsked,
  isOver: () => boolean,
): LinesFound {
  const lines: FoundLine[] = [];
  const isAllPlain = isPlain(text);
  let headings: readonly Heading[] | undefined;
  let { line, window } = from;
  let isFirst = true;
  for (let at = seekLine(text, line); at < text.length; line += 1, window = 0) {
    if (lines.length === most) return { lines, next: { line, window: 0 } };
    const place = { at, end: endOfLine(text, at) };
    const start = startOfWords(text, at);
    const searched = new SearchedLine(text.slice(start, Math.min(place.end, start + maxLineLength + 1)), isAllPlain);
    for (; searched.has(window, matcher); window += 1) {
      if (!isFirst && isOver()) return { lines, next: { line, window } };
      isFirst = false;
      const found = searched.find(window, matcher);
      if (found === undefined) continue;
      headings ??= readOutline(text).filter(({ isLoose }) => isMarkdown || !isLoose);
      const last = line;
      lines.push({
        line,
        column: start - at + found.start + 1,
        ...showAround(text.slice(start, place.end), found),
        section: headings.findLast((heading) => heading.line <= last)?.id ?? null,
        ...showContext(text, place, context),
      });
      break;
    }
    at = startOfNext(text, at);
  }
  return { lines, next: null };
}

/** A line as it is searched: in its composed form, window by window. */
class SearchedLine {
  readonly #composed: ComposedText;

  /** @param isAllPlain whether the text has no character with another form */
  constructor(raw: string, isAllPlain: boolean) {
    const hasOneForm = isAllPlain || isPlain(raw);
    this.#composed = hasOneForm ? { text: raw, starts: [], ends: [], rawEnds: [] } : runAtOnce(composeText(raw));
  }

  /** Whether there is a window of this number. An empty line has one. */
  has(window: number, matcher: LineMatcher): boolean {
    return window === 0 || this.#startOf(window, matcher) + matcher.overlap < this.#length;
  }

  /** The first match in the window, by its place in the line as it is written. */
  find(window: number, matcher: LineMatcher): Span | undefined {
    const { text } = this.#composed;
    const start = beforePair(text, this.#startOf(window, matcher));
    const end = Math.min(this.#length, this.#startOf(window, matcher) + matcher.window);
    const found = matcher.find(text, start, end === text.length ? end : beforePair(text, end));
    return found === undefined ? undefined : { start: this.#toRaw(found.start), end: this.#toRaw(found.end) };
  }

  get #length(): number {
    return Math.min(this.#composed.text.length, maxLineLength);
  }

  #startOf(window: number, matcher: LineMatcher): number {
    return window * (matcher.window - matcher.overlap);
  }

  /** A place within a changed character is taken as the place before it. */
  #toRaw(place: number): number {
    for (let at = place; at > 0; at -= 1) {
      const raw = placeInRaw(this.#composed, at);
      if (raw !== undefined) return raw;
    }
    return 0;
  }
}

/** The place itself, or the one before a character of two units that it would cut. */
function beforePair(text: string, at: number): number {
  return at > 0 && isSecondHalf(text, at) && isFirstHalf(text, at - 1) ? at - 1 : at;
}

const isFirstHalf = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isSecondHalf = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** The start of a line; the text's end for a line behind the last. */
function seekLine(text: string, line: number): number {
  let at = 0;
  for (let current = 1; current < line && at < text.length; current += 1) at = startOfNext(text, at);
  return at;
}

/** Where the line after the one of this place begins. */
export function startOfNext(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** A mark of the byte order is no part of the first line. */
export function startOfWords(text: string, at: number): number {
  return at === 0 && text.startsWith('\ufeff') ? 1 : at;
}

/** Where the line's words end: before its LF, or its CRLF. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

/** At most so many units of a line, around the match. */
function showAround(line: string, { start, end }: Span): { readonly text: string; readonly cut: boolean } {
  if (line.length <= maxShown) return { text: line, cut: false };
  const beside = Math.max(0, maxShown - (end - start)) >> 1;
  const from = beforePair(line, Math.max(0, Math.min(start - beside, line.length - maxShown)));
  return { text: line.slice(from, beforePair(line, Math.min(line.length, from + maxShown))), cut: true };
}

function showContext(
  text: string,
  { at, end }: { readonly at: number; readonly end: number },
  context: number,
): Pick<FoundLine, 'before' | 'after'> {
  const before: string[] = [];
  for (let start = at; start > 0 && before.length < context;) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    before.unshift(showLine(text, start));
  }
  const after: string[] = [];
  for (let start = startOfNext(text, end); start < text.length && after.length < context;) {
    after.push(showLine(text, start));
    start = startOfNext(text, start);
  }
  return { before, after };
}

function showLine(text: string, at: number): string {
  const start = startOfWords(text, at);
  const end = endOfLine(text, at);
  return text.slice(start, end - start > maxShown ? beforePair(text, start + maxShown) : end);
}
