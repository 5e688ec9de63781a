import { nameOf, type Location } from '../../domain/location.js';
import { findPhrase } from '../query/check-phrases.js';
import { isWithinEdits, matchesWildcard } from '../query/match-pattern.js';
import type { Query, QueryTerm } from '../query/parse-query.js';
import { sequenceMark } from '../analysis/find-sequences.js';
import { usualChunks } from '../analysis/cut-chunks.js';
import { findUnreadTitle } from '../analysis/find-title.js';
import { reduceMarkup } from '../analysis/reduce-markup.js';
import { english, type Languages } from '../languages/languages.js';
import { isSign, spellingAt, splitWordsInSteps } from '../analysis/split-words.js';

/** A span of a document's text and where in it the query's words stand: [start, end) in UTF-16 units. */
export interface Snippet {
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  /** The snippet stands behind this place of the text, in UTF-16 units: 0, or where the chunk starts. */
  readonly textStart: number;
}

const maxSnippetLength = 240;
/** Text before the first highlight. */
const lead = 60;
/** Characters that are searched: first these, and more only when they don't have all of the query. */
const firstSearched = 20_000;
const maxSearched = 100_000;
/** White space other than a single blank, which most of it is. */
const runOfSpace = /[^\S ]\s*| \s+/gu;

interface Match {
  readonly start: number;
  readonly end: number;
  /** The term's place in the query. */
  readonly term: number;
}

/**
 * The span with most different words of the query, the earliest of equals. For text only. Works in steps.
 * @param chunkStart where the best chunk of a long text starts, which is searched alone; 0 for none
 */
export function* makeSnippet(
  location: Location,
  text: string,
  query: Query,
  languages: Languages = english,
  chunkStart = 0,
): Generator<void, Snippet> {
  const sought = seekAll(query);
  // The text may be newer than the chunk.
  const ofChunk = yield* searchChunk(location, text, chunkStart, sought, languages);
  const { readable, matches, best } = ofChunk ?? (yield* searchBeginning(location, text, sought, languages));
  const start = startBefore(readable, best.start);
  let end = endOfCharacter(readable, Math.min(readable.length, start + maxSnippetLength));
  if (end < readable.length) {
    const space = readable.lastIndexOf(' ', end);
    if (space > start + maxSnippetLength / 2) end = space;
  }
  const highlights: [number, number][] = [];
  for (const match of matches) {
    if (match.start < start || match.start >= end) continue;
    const last = highlights[highlights.length - 1];
    const [from, to] = [match.start - start, Math.min(match.end, end) - start];
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else highlights.push([from, to]);
  }
  return { snippet: readable.slice(start, end), highlights, textStart: ofChunk === undefined ? 0 : chunkStart };
}

interface Found {
  readonly readable: string;
  readonly matches: readonly Match[];
  readonly best: Best;
}

/** Undefined where nothing is found, or no chunk is to be searched. */
function* searchChunk(
  location: Location,
  text: string,
  start: number,
  sought: Sought,
  languages: Languages,
): Generator<void, Found | undefined> {
  if (start === 0) return undefined;
  const chunk = text.slice(start, endOfCharacter(text, Math.min(text.length, start + usualChunks.whole)));
  const readable = reduceMarkup(chunk, nameOf(location), false).replace(runOfSpace, ' ').trim();
  const matches = yield* findMatches(readable, sought, languages);
  return matches.length === 0 ? undefined : { readable, matches, best: findBest(matches) };
}

function* searchBeginning(
  location: Location,
  text: string,
  sought: Sought,
  languages: Languages,
): Generator<void, Found> {
  const found = yield* search(location, text, firstSearched, sought, languages);
  if (text.length <= firstSearched || found.best.terms >= sought.count) return found;
  return yield* search(location, text, maxSearched, sought, languages);
}

/** Searches this many characters from the beginning. */
function* search(
  location: Location,
  text: string,
  most: number,
  sought: Sought,
  languages: Languages,
): Generator<void, Found> {
  const beginning = text.slice(0, endOfCharacter(text, most));
  const name = nameOf(location);
  const body = reduceMarkup(beginning, name).replace(runOfSpace, ' ').trim();
  yield;
  // A title that the text does not show is shown where it was found.
  const title = findUnreadTitle(beginning, name)?.replace(runOfSpace, ' ') ?? '';
  const isTitleFound = title !== '' && (yield* findMatches(title, sought, languages)).length > 0;
  const readable = isTitleFound ? `${title} ${body}` : body;
  const matches = yield* findMatches(readable, sought, languages);
  return { readable, matches, best: findBest(matches) };
}

/** The search: terms by their place in the query, phrases after them. */
interface Sought {
  readonly exact: ReadonlyMap<string, number>;
  readonly patterns: readonly { readonly term: QueryTerm; readonly index: number }[];
  readonly phrases: readonly { readonly words: readonly string[]; readonly index: number }[];
  readonly count: number;
}

/** A sequence is shown by its words. */
const isShown = (term: QueryTerm): boolean => term.type !== 'exact' || !term.term.startsWith(sequenceMark);

function seekAll({ clauses, phrases }: Query): Sought {
  const terms = clauses
    .filter(({ presence }) => presence !== 'prohibited')
    .flatMap((clause) => clause.terms)
    .filter(isShown);
  const exact = new Map<string, number>();
  terms.forEach((term, index) => {
    if (term.type === 'exact') exact.set(term.term, index);
    else if (term.type === 'any') for (const each of term.terms) exact.set(each, index);
  });
  const patterns = terms
    .map((term, index) => ({ term, index }))
    .filter(({ term }) => term.type === 'wildcard' || term.type === 'fuzzy');
  const wanted = phrases.filter(({ isProhibited }) => !isProhibited);
  return {
    exact,
    patterns,
    phrases: wanted.map(({ words }, index) => ({ words, index: terms.length + index })),
    count: new Set(exact.values()).size + patterns.length + wanted.length,
  };
}

/**
 * Where the text has what is sought, in order. Without phrases it ends at the end of the first window with all terms,
 * because no later window is better.
 */
function* findMatches(text: string, sought: Sought, languages: Languages): Generator<void, Match[]> {
  const { exact, patterns, phrases } = sought;
  const known = new Map<string, number>();
  const termOf = (word: string, spelled: string): number => {
    const stems = languages.stemsOf(word, spelled);
    const named = stems.find((stem) => exact.has(stem));
    if (named !== undefined) return exact.get(named) ?? -1;
    return patterns.find(({ term }) => stems.some((stem) => matchesPattern(stem, term)))?.index ?? -1;
  };
  const mayBe = beginningsOf(sought, languages);
  const words: string[] = [];
  const matches: Match[] = [];
  const spans: number[] = [];
  const window = new BestWindow();
  for (let from = 0; from < text.length;) {
    const upTo = phrases.length > 0 ? text.length : endOfPiece(text, from);
    const piece = from === 0 && upTo === text.length ? text : text.slice(from, upTo);
    const offset = from;
    yield* splitWordsInSteps(piece, (word, startInPiece, endInPiece) => {
      const [start, end] = [offset + startInPiece, offset + endInPiece];
      if (phrases.length > 0 && !isSign(word)) {
        words.push(word);
        spans.push(start, end);
      }
      if (mayBe !== undefined && !mayBe.has(word.charCodeAt(0))) return;
      const spelled = languages.areSpelled ? spellingAt(text, word, start, end) : word;
      let term = known.get(spelled);
      if (term === undefined) known.set(spelled, (term = termOf(word, spelled)));
      if (term < 0) return;
      const match = { start, end, term };
      matches.push(match);
      window.add(match);
    });
    from = upTo;
    if (window.best.terms === sought.count && upTo >= window.best.start + maxSnippetLength) break;
  }
  for (const { words: phrase, index } of phrases) {
    const place = yield* findPhrase(words, phrase);
    const end = spans[2 * (place + phrase.length - 1) + 1] ?? 0;
    if (place >= 0) matches.push({ start: spans[2 * place] ?? 0, end, term: index });
  }
  return matches.sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * The first characters of the words that can be found; undefined for any. Most words of a text begin otherwise, and
 * their stems need not be known.
 */
function beginningsOf({ exact, patterns }: Sought, { keepBeginnings }: Languages): ReadonlySet<number> | undefined {
  if (!keepBeginnings || patterns.length > 0) return undefined;
  return new Set([...exact.keys()].map((term) => term.charCodeAt(0)));
}

/** Characters that are searched at once, up to the next space: no word goes over it. */
const searchedAtOnce = 1024;

function endOfPiece(text: string, from: number): number {
  const space = text.indexOf(' ', from + searchedAtOnce);
  return space < 0 ? text.length : space;
}

function matchesPattern(stem: string, term: QueryTerm): boolean {
  if (term.type === 'wildcard') return term.stems.includes(stem) || matchesWildcard(stem, term.pattern);
  if (term.type !== 'fuzzy') return false;
  return isWithinEdits(stem, term.term, term.edits) || term.stems.includes(stem);
}

interface Best {
  readonly start: number;
  /** Number of different words in the window. */
  readonly terms: number;
}

/** Slides a window over matches in their order, in one pass. */
class BestWindow {
  best: Best = { start: 0, terms: 0 };
  readonly #counts = new Map<number, number>();
  readonly #matches: Match[] = [];
  /** The first match in the window. */
  #low = 0;

  add(match: Match): void {
    this.#matches.push(match);
    const counts = this.#counts;
    counts.set(match.term, (counts.get(match.term) ?? 0) + 1);
    for (let first = this.#matches[this.#low]; first !== undefined && isWider(first, match);) {
      const left = (counts.get(first.term) ?? 1) - 1;
      if (left === 0) counts.delete(first.term);
      else counts.set(first.term, left);
      this.#low += 1;
      first = this.#matches[this.#low];
    }
    if (counts.size > this.best.terms) {
      this.best = { start: this.#matches[this.#low]?.start ?? match.start, terms: counts.size };
    }
  }
}

function isWider(first: Match, last: Match): boolean {
  return last.end - first.start > maxSnippetLength - lead;
}

function findBest(matches: readonly Match[]): Best {
  const window = new BestWindow();
  for (const match of matches) window.add(match);
  return window.best;
}

/** Some text before the place, from the beginning of a word on. */
function startBefore(text: string, place: number): number {
  if (place <= lead) return 0;
  const space = text.indexOf(' ', place - lead);
  return space >= 0 && space < place ? space + 1 : endOfCharacter(text, place - lead);
}

/** Most combining marks shown with one character: more of them are no writing. */
const maxMarks = 16;
const mark = /\p{M}|\u200d/u;

/** Not between the two halves of one character, nor before its combining marks. */
function endOfCharacter(text: string, at: number): number {
  let end = at;
  for (let marks = 0; marks < maxMarks && end < text.length; marks += 1) {
    const unit = text.charCodeAt(end);
    const isHalf = unit >= 0xdc00 && unit <= 0xdfff && end > 0;
    if (isHalf) end += 1;
    else if (end > 0 && mark.test(text.charAt(end))) end += 1;
    else break;
  }
  return end;
}
