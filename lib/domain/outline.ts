/** A heading of a Markdown text, with the lines of the section that it opens. */
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
}

const atx = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s;
const underline = /^ {0,3}(?:(=+)|(-+))[ \t]*$/;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** Lines that cannot be the words of an underlined heading: lists, quotes, code, tables and raw HTML. */
const noParagraph = /^ {0,3}(?:[-+*>|<]|\d{1,9}[.)](?:[ \t]|$))/;
const indented = /^(?: {4}|\t)/;

/** A text's lines without their ends; a line end at the very end opens no further line. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The line after front matter (a block between `---` lines at the very start), or 0. */
function afterFrontMatter(lines: readonly string[]): number {
  if (lines[0] !== '---') return 0;
  const end = lines.indexOf('---', 1);
  return end < 0 ? 0 : end + 1;
}

/** Lines, or headings, between two rests. */
const linesBetweenRests = 4000;

/**
 * The headings of a Markdown text in order (CommonMark 0.31 §4.2 and §4.3): with number signs, or underlined; not in
 * fenced or indented code, and not inside lists or quotes, which hold no sections. Takes time in proportion to the
 * text, whatever is in it.
 */
export function readOutline(text: string): Heading[] {
  const reading = readOutlineInSteps(text);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

/** The same with rests on the way, for those who would hold others up with a long text. */
export function* readOutlineInSteps(text: string): Generator<void, Heading[]> {
  const lines = splitLines(text);
  const found: { title: string; level: number; line: number }[] = [];
  let fenced: string | undefined;
  let paragraph: number | undefined;
  // Within a list, a quote and the like, up to the next blank line: there is nothing to underline.
  let isContained = false;
  for (let index = afterFrontMatter(lines); index < lines.length; index += 1) {
    if (index % linesBetweenRests === 0) yield;
    const line = lines[index] ?? '';
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
      found.push({ title: trimTitle(heading[2] ?? ''), level: (heading[1] ?? '').length, line: index + 1 });
      paragraph = undefined;
      isContained = false;
    } else if (under !== null && paragraph !== undefined) {
      const title = lines
        .slice(paragraph, index)
        .map((each) => each.trim())
        .join(' ');
      found.push({ title, level: under[1] === undefined ? 2 : 1, line: paragraph + 1 });
      paragraph = undefined;
    } else if (line.trim() === '') {
      paragraph = undefined;
      isContained = false;
    } else if (noParagraph.test(line)) {
      paragraph = undefined;
      isContained = true;
    } else if (paragraph === undefined && !isContained && !indented.test(line)) {
      paragraph = index;
    }
  }
  return yield* closeSections(found, lines.length);
}

/** Drops blanks around a heading's words and the number signs that may close it. */
function trimTitle(words: string): string {
  const title = words.trim();
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end -= 1;
  const isClosed = end < title.length && (end === 0 || title[end - 1] === ' ' || title[end - 1] === '\t');
  return isClosed ? title.slice(0, end).trim() : title;
}

function* closeSections(
  found: readonly { readonly title: string; readonly level: number; readonly line: number }[],
  lineCount: number,
): Generator<void, Heading[]> {
  const lastLines: number[] = [];
  // Where the next heading of each level, or a higher one, opens; filled from the end.
  const opens = [0, 0, 0, 0, 0, 0, 0].map(() => lineCount + 1);
  for (let index = found.length - 1; index >= 0; index -= 1) {
    const { level, line } = found[index] ?? { level: 1, line: 1 };
    lastLines[index] = (opens[level] ?? lineCount + 1) - 1;
    for (let deeper = level; deeper <= 6; deeper += 1) opens[deeper] = line;
  }
  const ids = new Set<string>();
  const repeats = new Map<string, number>();
  const headings: Heading[] = [];
  for (const [index, { title, level, line }] of found.entries()) {
    if (index % linesBetweenRests === 0) yield;
    const id = makeHeadingId(title, ids, repeats);
    headings.push({ id, title, level, line, lastLine: lastLines[index] ?? lineCount });
  }
  return headings;
}

/** The words in small letters with hyphens between, as forges and site generators make them. */
export function hyphenate(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .trim()
    .replace(/ /g, '-');
  return words === '' ? 'section' : words;
}

/** The id of a heading that has these words, unless another one has it already. */
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
 * The lines of a section, heading and sections below it included; blank lines at its end are not part of it, so that
 * what is added after it leaves it as it was.
 * @returns undefined when there is no such heading
 */
export function readSection(text: string, id: string): string | undefined {
  const heading = readOutline(text).find((each) => each.id === id);
  if (heading === undefined) return undefined;
  return text
    .split('\n')
    .slice(heading.line - 1, heading.lastLine)
    .join('\n')
    .trimEnd();
}

/** Whether one of two sections lies in the other, or they are the same. */
export function sectionsOverlap(a: Heading, b: Heading): boolean {
  return a.line <= b.lastLine && b.line <= a.lastLine;
}
