/**
 * The text of a document as it is shown: Markdown and HTML without their marks, other kinds as they are. The index, the
 * phrases and the snippets read it, so that they have the same words.
 */
import type { Steps } from '../../scheduling/in-steps.js';
import { Lookback } from './lookback.js';
import { Closings, readEntity, readTag, startOfTag } from './read-tag.js';
import { showMarkdown } from './show-markdown.js';
import { ShownText, ShownTextWriter, type Span } from './shown-text.js';

const markupNames = /\.(?:md|markdown|mdx|html?|xhtml)$/i;
const markdownNames = /\.(?:md|markdown|mdx)$/i;
/** Elements of HTML whose content is not shown. In Markdown they stand in examples. */
const hiddenEnds: Readonly<Record<string, RegExp>> = { style: /<\/style\b/gi, script: /<\/script\b/gi };
const hiddenStart = /<(?:!--|style\b|script\b)/gi;
const mark = /[<&]/g;
const headingMark = /^#{1,6} /gm;

/** Whether the file's name marks its text as Markdown or HTML. */
export function isMarkup(name: string): boolean {
  return markupNames.test(name);
}

/** Whether the file's name marks its text as Markdown, of which front matter is no part. */
export function isMarkdownName(name: string): boolean {
  return markdownNames.test(name);
}

export interface Showing {
  /** The part of the source that is shown. Left out: from its beginning, to its end. */
  readonly start?: number;
  readonly end?: number;
  /** Whether the targets of references are kept, by which a document is found. */
  readonly withTargets?: boolean;
  /** Whether the text was made of a file, with marks of headings alone. */
  readonly isMade?: boolean;
  /** What is known from parts of the same text that were shown before. */
  readonly lookback?: Lookback;
}

/**
 * A part of a document's text as it is shown, alike whether it is read alone or with the rest. Takes time in proportion
 * to the part, whatever it holds.
 */
export function* showText(source: string, name: string, showing: Showing = {}): Steps<ShownText> {
  const { start = 0, withTargets = false, isMade = false, lookback = new Lookback() } = showing;
  const span = { start, end: Math.min(showing.end ?? source.length, source.length) };
  if (isMarkdownName(name)) return yield* showMarkdown(source, span, withTargets, lookback);
  if (isMarkup(name)) return yield* showHtml(source, span, lookback);
  if (isMade) return showMade(source, span);
  return new ShownText(source.slice(span.start, span.end), [0], [span.start]);
}

/** Marks between two pauses. */
const marksAtOnce = 10_000;

function* showHtml(source: string, span: Span, lookback: Lookback): Steps<ShownText> {
  const writer = new ShownTextWriter(source, span);
  const closings = new Closings(source);
  let kept = yield* findHtmlStart(source, span.start, lookback);
  let count = 0;
  for (let at = nextMark(source, kept); at >= 0 && at < span.end;) {
    count += 1;
    if (count % marksAtOnce === 0) yield;
    const read = source.charAt(at) === '&' ? readEntity(source, at) : readTag(source, at, closings);
    if (read === undefined) {
      at = nextMark(source, at + 1);
      continue;
    }
    writer.keep(kept, at);
    if (read.text !== '') writer.put(read.text, at);
    kept = 'length' in read ? at + read.length : endOfHidden(source, read);
    at = nextMark(source, kept);
  }
  writer.keep(kept, span.end);
  return writer.finish();
}

/** Where to begin so that a part is read as it is within the whole: at the tag, or behind what is hidden, around its start. */
function* findHtmlStart(source: string, start: number, lookback: Lookback): Steps<number> {
  const isBehind = lookback.hidden !== undefined && lookback.hidden.from <= start;
  const known =
    isBehind && lookback.hidden ? lookback.hidden : { from: 0, at: 0, next: -1, closings: new Closings(source) };
  lookback.hidden = known;
  for (let count = 1; known.at < start; count += 1) {
    hiddenStart.lastIndex = known.at;
    if (known.next < known.at) known.next = hiddenStart.exec(source)?.index ?? source.length;
    if (known.next >= start) break;
    known.from = known.next;
    const read = readTag(source, known.from, known.closings);
    known.at = read === undefined ? known.from + 1 : endOfHidden(source, read);
    if (count % marksAtOnce === 0) yield;
  }
  return known.at >= start ? known.at : (startOfTag(source, start) ?? start);
}

function nextMark(source: string, from: number): number {
  mark.lastIndex = from;
  return mark.exec(source)?.index ?? -1;
}

/** Behind the tag; before the closing one of a style or script, or at the end of the text where that is missing. */
function endOfHidden(source: string, { end, opens }: { readonly end: number; readonly opens: string }): number {
  const closing = hiddenEnds[opens];
  if (closing === undefined) return end;
  closing.lastIndex = end;
  return closing.exec(source)?.index ?? source.length;
}

function showMade(source: string, span: Span): ShownText {
  const writer = new ShownTextWriter(source, span);
  let kept = span.start;
  for (const { 0: found, index } of source.slice(span.start, span.end).matchAll(headingMark)) {
    writer.keep(kept, span.start + index);
    kept = span.start + index + found.length;
  }
  writer.keep(kept, span.end);
  return writer.finish();
}
