import type { Quote } from '../domain/comment.js';
import { findBackwards, findForwards } from './find-exact.js';
import { sameAtEnd, sameAtStart } from './same-ends.js';

/** A span of a text, in UTF-16 units; `end` is the unit after the last. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

export const contextLength = 64;

/** Of the places of a quote, at most this many on either side of its former place are compared. */
const maxCandidates = 200;

/** The quote of the passage from `start` to `end`. */
export function makeQuote(text: string, { start, end }: Passage): Quote {
  return {
    text: text.slice(start, end),
    before: text.slice(Math.max(0, start - contextLength), start),
    after: text.slice(end, end + contextLength),
    start,
  };
}

/** Places of `words` in the text: the nearest ones to `near` on both sides, in no order. */
function* findOccurrences(text: string, words: string, near: number): Generator<void, number[]> {
  const behind = yield* findForwards(text, words, near, maxCandidates);
  const before = yield* findBackwards(text, words, near - 1, maxCandidates);
  return [...behind, ...before];
}

/** How much of the quote's surroundings also surrounds this place, in units. */
function compareContext(text: string, quote: Quote, at: number): number {
  const end = at + quote.text.length;
  const before = text.slice(Math.max(0, at - contextLength), at);
  return sameAtEnd(before, quote.before) + sameAtStart(text.slice(end, end + contextLength), quote.after);
}

/** The place with the surroundings most like the quote's; of equal ones the nearest to its former place. */
function* chooseOccurrence(text: string, quote: Quote, near: number): Generator<void, number | undefined> {
  const isWhole = compareContext(text, quote, near) === quote.before.length + quote.after.length;
  // Nothing can be more like it, or nearer.
  if (isWhole && text.startsWith(quote.text, near)) return near;
  let best: { readonly at: number; readonly score: number } | undefined;
  for (const at of yield* findOccurrences(text, quote.text, near)) {
    const score = compareContext(text, quote, at);
    const isNearer = best !== undefined && Math.abs(at - near) < Math.abs(best.at - near);
    if (best === undefined || score > best.score || (score === best.score && isNearer)) best = { at, score };
  }
  return best?.at;
}

/** A text with each run of blanks and line ends as one blank, and the origin of each of its units. */
interface Flowed {
  readonly text: string;
  readonly origins: Uint32Array;
}

const isBlank = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0;

/** Units of a text between two pauses. */
const unitsBetweenPauses = 65_536;

function* flow(text: string): Generator<void, Flowed> {
  const origins = new Uint32Array(text.length + 1);
  // Joined in parts: a million pieces at once would take too long.
  const parts: string[] = [];
  let pieces: string[] = [];
  let length = 0;
  let pausedAt = 0;
  for (let index = 0; index < text.length;) {
    let end = index;
    if (index - pausedAt > unitsBetweenPauses) {
      pausedAt = index;
      parts.push(pieces.join(''));
      pieces = [];
      yield;
    }
    if (isBlank(text.charCodeAt(index))) {
      while (end < text.length && isBlank(text.charCodeAt(end))) end += 1;
      pieces.push(' ');
      origins[length] = index;
      length += 1;
    } else {
      while (end < text.length && !isBlank(text.charCodeAt(end))) end += 1;
      pieces.push(text.slice(index, end));
      for (let unit = index; unit < end; unit += 1) origins[length + unit - index] = unit;
      length += end - index;
    }
    index = end;
  }
  origins[length] = text.length;
  return { text: parts.join('') + pieces.join(''), origins: origins.subarray(0, length + 1) };
}

/**
 * Finds quoted passages in one text. A quote is where its words stand exactly, else where they stand with other line
 * breaks and blanks between them. Of several places, the surroundings decide. Takes time in proportion to the text and
 * the quote, for any content, and pauses on the way.
 */
export class PassageFinder {
  readonly #text: string;
  #flowed: Flowed | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns undefined when the words are not in the text any more */
  *find(quote: Quote): Generator<void, Passage | undefined> {
    if (quote.text === '') return undefined;
    const at = yield* chooseOccurrence(this.#text, quote, Math.min(quote.start, this.#text.length));
    if (at !== undefined) return { start: at, end: at + quote.text.length };
    return yield* this.#findFlowed(quote);
  }

  *#findFlowed(quote: Quote): Generator<void, Passage | undefined> {
    const words = (yield* flow(quote.text)).text.trim();
    // Words without blanks stand in the one form of the text where they stand in the other.
    if (words === '' || (words === quote.text && !words.includes(' '))) return undefined;
    this.#flowed ??= yield* flow(this.#text);
    const { text, origins } = this.#flowed;
    if (words === quote.text && text === this.#text) return undefined;
    const near = Math.min(quote.start, text.length);
    const at = yield* chooseOccurrence(text, { ...quote, text: words }, near);
    if (at === undefined) return undefined;
    return { start: origins[at] ?? 0, end: (origins[at + words.length - 1] ?? 0) + 1 };
  }
}
