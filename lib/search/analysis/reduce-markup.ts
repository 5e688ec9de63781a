/**
 * The visible text of Markdown or HTML: without front matter, link targets, tags, and the styles and scripts of HTML.
 * It works in one pass. The search for a closing sign starts at a place that only moves forward, so a document made of brackets costs no more than any
 * other of its length.
 */

const maxTargetLength = 2_000;
const maxTagLength = 1_000;
const maxFrontMatterLength = 16_000;

const markupNames = /\.(?:md|markdown|mdx|html?|xhtml)$/i;
const markdownNames = /\.(?:md|markdown|mdx)$/i;
const tagStart = /[a-z/!?]/i;
/** Elements of HTML whose content is not shown. In Markdown they stand in examples. */
const hidden = /^<(style|script)\b/i;
const hiddenEnds = { style: /<\/style\b/gi, script: /<\/script\b/gi } as const;

/** Whether the file's name marks its text as Markdown or HTML. */
export function isMarkup(name: string): boolean {
  return markupNames.test(name);
}

/** Whether the file's name marks its text as Markdown, of which front matter is no part. */
export function isMarkdownName(name: string): boolean {
  return markdownNames.test(name);
}

/**
 * The text as read; text of other kinds is returned as it is.
 * @param isBeginning whether the text begins where its document does, so that front matter can stand there
 */
export function reduceMarkup(text: string, name: string, isBeginning = true): string {
  return isMarkup(name) ? joinSpans(text, visibleSpans(text, name, isBeginning), 0, text.length) : text;
}

/** What of the spans stands in [start, end) of the text, as one text. */
export function joinSpans(text: string, spans: readonly Span[], start: number, end: number): string {
  return spans
    .filter((span) => span.end > start && span.start < end)
    .map((span) => text.slice(Math.max(start, span.start), Math.min(end, span.end)))
    .join(' ');
}

/** A part of a text: [start, end) in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What of the text is read, in order; all of a text of another kind. */
export function visibleSpans(text: string, name: string, isBeginning = true): Span[] {
  if (!isMarkup(name)) return [{ start: 0, end: text.length }];
  const isMarkdown = isMarkdownName(name);
  const start = isMarkdown && isBeginning ? endOfFrontMatter(text) : 0;
  const spans: Span[] = [];
  const closings = new Map<string, number>();
  const closingAfter = (character: string, from: number): number => {
    let at = closings.get(character) ?? -1;
    if (at < from) {
      const next = text.indexOf(character, from);
      at = next < 0 ? Number.POSITIVE_INFINITY : next;
      closings.set(character, at);
    }
    return at;
  };
  let kept = start;
  for (let index = start; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    let end = -1;
    if (unit === 0x5d && isMarkdown && text.charCodeAt(index + 1) === 0x28) {
      end = closingAfter(')', index + 2);
      if (end - index > maxTargetLength) end = -1;
    } else if (unit === 0x3c && tagStart.test(text.charAt(index + 1))) {
      end = closingAfter('>', index + 1);
      if (end - index > maxTagLength) end = -1;
      else if (!isMarkdown) end = endOfHidden(text, index) ?? end;
    }
    if (end > 0) {
      spans.push({ start: kept, end: index });
      kept = end + 1;
      index = end;
    }
  }
  spans.push({ start: kept, end: text.length });
  return spans;
}

/** The last place of a style or script that starts here, before its closing tag. An unclosed one has no end. */
function endOfHidden(text: string, start: number): number | undefined {
  const name = hidden.exec(text.slice(start, start + 8))?.[1]?.toLowerCase();
  if (name !== 'style' && name !== 'script') return undefined;
  const closing = hiddenEnds[name];
  closing.lastIndex = start;
  return (closing.exec(text)?.index ?? text.length) - 1;
}

/** Where the text goes on after a byte order mark and a leading block between two lines of `---`. */
export function endOfFrontMatter(text: string): number {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (!/^\ufeff?---[ \t]*\r?\n/.test(text.slice(0, 80))) return start;
  const closing = /\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, maxFrontMatterLength));
  return closing === null ? start : closing.index + closing[0].length;
}
