import { readOutlineInSteps } from './outline.js';
import { PassageFinder } from './passage.js';

/** Where in a text something stands. */
export interface TextPlace {
  /** From 1. */
  readonly line: number;
  /** Id of the innermost heading above it; undefined before the first one, or where there are none. */
  readonly section: string | undefined;
}

/** This much of a text is searched for its snippet. UTF-16 units. */
const maxSearched = 260_000;
/** The longest heading, with the line under it. UTF-16 units. */
const maxHeading = 4000;
/** Words on either side that join the search, first many, then none. UTF-16 units. */
const contexts = [60, 25, 0];

/**
 * The line of a snippet's first highlight. The snippet has lost the text's markup and line ends. So it is sought by the
 * words around the highlight, by fewer of them where markup stands between, and at last by the highlight alone. Where
 * nothing is highlighted, the snippet is the beginning.
 * @param textStart the snippet stands behind this place, in UTF-16 units
 * @param isMarkdown whether any line under another makes it a heading
 * @returns undefined where the text does not have it: it is another text by now, or a mark of its notation
 */
export function* placeSnippet(
  text: string,
  { snippet, highlights }: { readonly snippet: string; readonly highlights: readonly (readonly [number, number])[] },
  { textStart = 0, isMarkdown = true }: { readonly textStart?: number; readonly isMarkdown?: boolean } = {},
): Generator<void, TextPlace | undefined> {
  const [start, end] = highlights[0] ?? [0, Math.min(snippet.length, 40)];
  const searched = text.slice(textStart, textStart + maxSearched);
  const finder = new PassageFinder(searched);
  let offset: number | undefined;
  for (const context of contexts) {
    yield;
    const from = context === 0 ? start : wordStart(snippet, start - context);
    const words = snippet.slice(from, context === 0 ? end : wordEnd(snippet, end + context));
    const found = words === '' ? undefined : yield* finder.find({ text: words, before: '', after: '', start: 0 });
    if (found === undefined) continue;
    const highlight = snippet.slice(start, end);
    const before = highlight === '' ? 0 : snippet.slice(from, start).split(highlight).length - 1;
    const inside = placeOf(searched.slice(found.start, found.end), highlight, before);
    offset = textStart + found.start + Math.max(0, inside);
    break;
  }
  offset ??= highlights.length === 0 ? textStart : undefined;
  if (offset === undefined) return undefined;
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

/** The place of the words after so many others of the same; -1 where there are fewer. */
function placeOf(text: string, words: string, before: number): number {
  let at = words === '' ? -1 : text.indexOf(words);
  for (let passed = 0; passed < before && at >= 0; passed += 1) at = text.indexOf(words, at + words.length);
  return at;
}

function wordStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.indexOf(' ', at) + 1;
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const end = text.lastIndexOf(' ', at);
  return end < 0 ? text.length : end;
}
