/** A heading of a Markdown text, with the lines of its section. */
export interface Heading {
  /** Made from the heading's words, unique in the text: `release-notes`, and `release-notes-1` for the next one. */
  readonly id: string;
  readonly title: string;
  /** 1 to 6. */
  readonly level: number;
  /** Number of the heading's line, from 1. */
  readonly line: number;
  /** Number of the section's last line: before the next heading of this level or a higher one. */
  readonly lastLine: number;
  /** UTF-16 units in the section, the heading included. */
  readonly length: number;
  /**
   * Whether it is a heading in Markdown alone: it has several lines or brackets, or a line under it of another length. In other
   * texts such a line bounds a block of code or a table.
   */
  readonly isLoose: boolean;
}

/** A heading before its section's end is known. */
interface Opening {
  readonly title: string;
  readonly level: number;
  readonly line: number;
  /** The offset of its line. */
  readonly at: number;
  readonly isLoose: boolean;
}

const atx = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const underline = /^ {0,3}(?:(=+)|(-+))[ \t]*$/;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** Lines that cannot belong to an underlined heading: lists, quotes, code, tables and raw HTML. */
const noParagraph = /^ {0,3}(?:[-+*>|<]|\d{1,9}[.)](?:[ \t]|$))/;
const indented = /^(?: {4}|\t)/;

/**
 * Maximum of units kept of a heading's words, and of an id before its number: a request can name both. UTF-16 units.
 */
const maxTitleLength = 300;
const maxIdLength = 200;
/** Headings of one text; the text after them belongs to the last. */
const maxHeadings = 100_000;
/** Units by which a heading and the line under it may differ in length, where the text is not Markdown. */
const maxLengthsApart = 2;
/** Units examined for the words of one underlined heading. */
const maxUnderlinedLength = 2000;

/** The first units of a text, without half of a character. */
function cutOff(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most);
}

const byteOrderMark = '\ufeff';

/**
 * The end of front matter (a block between `---` lines at the very start), and the number of lines before. A byte order
 * mark is no part of the first line.
 */
function afterFrontMatter(text: string): { readonly at: number; readonly line: number } {
  const start = { at: text.startsWith(byteOrderMark) ? 1 : 0, line: 0 };
  if (!/^\ufeff?---\r?\n/.test(text)) return start;
  const close = /\n---\r?(?:\n|$)/g;
  close.lastIndex = start.at + 3;
  const found = close.exec(text);
  if (found === null) return start;
  let line = 2;
  for (let at = text.indexOf('\n'); at < found.index; at = text.indexOf('\n', at + 1)) line += 1;
  return { at: found.index + found[0].length, line };
}

/** Lines, or headings, between two pauses. */
const linesBetweenPauses = 4000;

/**
 * The headings of a Markdown text in order (CommonMark 0.31 §4.2 and §4.3): with number signs, or underlined. Headings
 * in fenced or indented code do not count. Nor do those inside lists or quotes, which hold no sections. Takes time in
 * proportion to the text, for any content.
 */
export function readOutline(text: string): Heading[] {
  const reading = readOutlineInSteps(text);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** The same with pauses on the way, for callers that would delay others with a long text. */
export function* readOutlineInSteps(text: string): Generator<void, Heading[]> {
  const found: Opening[] = [];
  let fenced: string | undefined;
  let paragraph: { readonly at: number; readonly line: number } | undefined;
  // Within a list, a quote and the like, up to the next blank line: there is nothing to underline.
  let isContained = false;
  let { at, line: number } = afterFrontMatter(text);
  for (let next = at; at < text.length && found.length < maxHeadings; at = next) {
    const end = text.indexOf('\n', at);
    const stop = end < 0 ? text.length : end;
    next = stop + 1;
    const line = text.slice(at, stop > at && text[stop - 1] === '\r' ? stop - 1 : stop);
    // A line end at the very end opens no further line.
    if (line === '' && end < 0) break;
    number += 1;
    if (number % linesBetweenPauses === 0) yield;
    const mark = fence.exec(line)?.[1];
    if (fenced !== undefined) {
      if (mark?.startsWith(fenced) === true && line.trim() === mark) fenced = undefined;
      continue;
    }
    if (mark !== undefined) {
      fenced = mark;
      paragraph = undefined;
      continue;
    }
    const heading = atx.exec(line);
    const under = paragraph === undefined ? null : underline.exec(line);
    if (heading !== null) {
      found.push({
        title: trimTitle(heading[2] ?? ''),
        level: (heading[1] ?? '').length,
        line: number,
        at,
        isLoose: false,
      });
      paragraph = undefined;
      isContained = false;
    } else if (under !== null && paragraph !== undefined) {
      const above = text.slice(paragraph.at, at).trim();
      const isAttribute = above.startsWith('[') && above.endsWith(']');
      const isAlike = Math.abs(line.trim().length - above.length) <= maxLengthsApart;
      const isLoose = paragraph.line !== number - 1 || isAttribute || !isAlike;
      const title = joinLines(text.slice(paragraph.at, Math.min(at, paragraph.at + maxUnderlinedLength)));
      found.push({ title, level: under[1] === undefined ? 2 : 1, ...paragraph, isLoose });
      paragraph = undefined;
    } else if (line.trim() === '') {
      paragraph = undefined;
      isContained = false;
    } else if (noParagraph.test(line)) {
      paragraph = undefined;
      isContained = true;
    } else if (paragraph === undefined && !isContained && !indented.test(line)) {
      paragraph = { at, line: number };
    }
  }
  for (; found.length === maxHeadings && at < text.length; number += 1) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
    if (number % linesBetweenPauses === 0) yield;
  }
  return yield* closeSections(found, { line: number + 1, at: text.length });
}

/** The words of an underlined heading, over several lines too. */
function joinLines(lines: string): string {
  const words = lines.split('\n').map((line) => line.trim());
  return cutOff(words.join(' ').trim(), maxTitleLength);
}

/** Drops blanks around a heading's words and the number signs at its end. */
function trimTitle(words: string): string {
  const title = words.trim();
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end -= 1;
  const isClosed = end < title.length && (end === 0 || title[end - 1] === ' ' || title[end - 1] === '\t');
  return cutOff(isClosed ? title.slice(0, end).trim() : title, maxTitleLength);
}

function* closeSections(found: readonly Opening[], end: Pick<Opening, 'line' | 'at'>): Generator<void, Heading[]> {
  const ends: Pick<Opening, 'line' | 'at'>[] = [];
  // Where the next heading of each level, or a higher one, opens; filled from the end.
  const opens = [0, 0, 0, 0, 0, 0, 0].map(() => end);
  for (let index = found.length - 1; index >= 0; index -= 1) {
    if (index % linesBetweenPauses === 0) yield;
    const opening = found[index] ?? { level: 1, ...end };
    ends[index] = opens[opening.level] ?? end;
    for (let deeper = opening.level; deeper <= 6; deeper += 1) opens[deeper] = opening;
  }
  const ids = new Set<string>();
  const repeats = new Map<string, number>();
  const headings: Heading[] = [];
  for (const [index, { title, level, line, at, isLoose }] of found.entries()) {
    if (index % linesBetweenPauses === 0) yield;
    const id = makeHeadingId(title, ids, repeats);
    const next = ends[index] ?? end;
    headings.push({ id, title, level, line, lastLine: next.line - 1, length: next.at - at, isLoose });
  }
  return headings;
}

/** Composing takes the square of the length of a run of marks. */
const maxComposed = 1000;

/**
 * The words in small letters with hyphens between, as forges make them: a blank beside a sign that is left out becomes a
 * hyphen too (`🎯 Goals` is `-goals`). In composed form, so that every spelling of a word gives one id.
 */
export function hyphenate(title: string): string {
  const words = title
    .slice(0, maxComposed)
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replace(/ /g, '-');
  return /^-*$/.test(words) ? 'section' : cutOff(words, maxIdLength);
}

/** The id of a heading with these words, unless another one has it already. */
function makeHeadingId(title: string, taken: Set<string>, repeats: Map<string, number>): string {
  const base = hyphenate(title);
  let count = repeats.get(base) ?? 0;
  let id = count === 0 ? base : `${base}-${count}`;
  while (taken.has(id)) {
    count += 1;
    id = `${base}-${count}`;
  }
  repeats.set(base, count + 1);
  taken.add(id);
  return id;
}

/**
 * The lines of a section, heading and sections below it included. Blank lines at its end are not part of it, so text
 * added after the section leaves it unchanged.
 */
export function readSection(text: string, heading: Pick<Heading, 'line' | 'lastLine'>): string {
  return makeSectionReader(text)(heading);
}

/** The offsets of a section's lines, to the start of the line after them. Pauses on the way. */
export function* placeLines(
  text: string,
  { line, lastLine }: Pick<Heading, 'line' | 'lastLine'>,
): Generator<void, { readonly start: number; readonly stop: number }> {
  let number = 1;
  let start = 0;
  let at = 0;
  for (; number <= lastLine && at < text.length; number += 1) {
    if (number === line) start = at;
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
    if (number % linesBetweenPauses === 0) yield;
  }
  return { start, stop: at };
}

/** The same for many sections of one text; its lines are counted once. */
export function makeSectionReader(text: string): (heading: Pick<Heading, 'line' | 'lastLine'>) => string {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const startOf = (line: number): number => starts[line - 1] ?? text.length + 1;
  return ({ line, lastLine }) => text.slice(startOf(line), startOf(lastLine + 1) - 1).trimEnd();
}

/** Whether one of two sections lies in the other, or they are the same. */
export function sectionsOverlap(a: Heading, b: Heading): boolean {
  return a.line <= b.lastLine && b.line <= a.lastLine;
}
