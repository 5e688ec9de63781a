import { nameOf, type Location } from '../../domain/location.js';
import { findPhrase } from '../query/check-phrases.js';
import { isWithinEdits, matchesWildcard } from '../query/match-pattern.js';
import type { Query, QueryTerm } from '../query/parse-query.js';
import { sequenceMark } from '../analysis/find-sequences.js';
import { usualChunks } from '../analysis/cut-chunks.js';
import { findUnreadTitle } from '../analysis/find-title.js';
import { showText } from '../analysis/show-text.js';
import { joinLines, ShownText } from '../analysis/shown-text.js';
import { english, type Languages } from '../languages/languages.js';
import { isSign, spellingAt, splitWordsInSteps } from '../analysis/split-words.js';

/** A span of a document's text and where in it the query's words stand: [start, end) in UTF-16 units. */
export interface Snippet {
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
  /**
   * Where in the document's text a phrase of the query stands, else the first highlight, or the beginning of the snippet
   * without one. UTF-16 units.
   */
  readonly place: number;
}

/** What is known of a document's text. */
export interface FoundPlace {
  /** Where the best chunk of a long text starts, which is searched alone; 0 for none. */
  readonly chunkStart?: number;
  /** Whether the text was made of a file. */
  readonly isMade?: boolean;
}

const maxSnippetLength = 240;
/** Text before the first highlight. */
const lead = 60;
/** Characters that are searched: first these, and more only when they don't have all of the query. */
const firstSearched = 20_000;
const maxSearched = 100_000;

interface Match {
  readonly start: number;
  readonly end: number;
  /** The term's place in the query. */
  readonly term: number;
}

/** The span with most different words of the query, the earliest of equals. For text only. Works in steps. */
export function* makeSnippet(
  location: Location,
  text: string,
  query: Query,
  languages: Languages = english,
  { chunkStart = 0, isMade = false }: FoundPlace = {},
): Generator<void, Snippet> {
  const sought = seekAll(query);
  const source = { name: nameOf(location), text, isMade };
  // The text may be newer than the chunk.
  const ofChunk = yield* searchChunk(source, chunkStart, sought, languages);
  const { readable, placeOf, matches, best } = ofChunk ?? (yield* searchBeginning(source, sought, languages));
  const start = startBefore(readable, best.start);
  let end = endOfCharacter(readable, Math.min(readable.length, start + maxSnippetLength));
  if (end < readable.length) {
    const space = readable.lastIndexOf(' ', end);
    if (space > start + maxSnippetLength / 2) end = space;
  }
  const isInSnippet = (match: Match): boolean => match.start >= start && match.start < end;
  const highlights: [number, number][] = [];
  for (const match of matches) {
    if (!isInSnippet(match)) continue;
    const last = highlights[highlights.length - 1];
    const [from, to] = [match.start - start, Math.min(match.end, end) - start];
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else highlights.push([from, to]);
  }
  const phrase = matches.find((match) => match.term >= sought.firstPhrase && isInSnippet(match));
  const place = placeOf(phrase?.start ?? start + (highlights[0]?.[0] ?? 0));
  return { snippet: readable.slice(start, end), highlights, place };
}

/** A document's text. */
interface Source {
  readonly name: string;
  readonly text: string;
  readonly isMade: boolean;
}

interface Found {
  readonly readable: string;
  /** Where in the source something readable stands. */
  readonly placeOf: (offset: number) => number;
  readonly matches: readonly Match[];
  readonly best: Best;
}

/** Undefined where nothing is found, or no chunk is to be searched. */
function* searchChunk(
  source: Source,
  start: number,
  sought: Sought,
  languages: Languages,
): Generator<void, Found | undefined> {
  if (start === 0) return undefined;
  const shown = yield* showLines(source, start, start + usualChunks.whole);
  const matches = yield* findMatches(shown.text, sought, languages);
  if (matches.length === 0) return undefined;
  return { readable: shown.text, placeOf: (offset) => shown.placeOf(offset), matches, best: findBest(matches) };
}

/** What is shown of a part of the text, in one line. */
function* showLines({ name, text, isMade }: Source, start: number, end: number): Generator<void, ShownText> {
  const upTo = endOfCharacter(text, Math.min(text.length, end));
  return joinLines(yield* showText(text, name, { start, end: upTo, isMade }));
}

function* searchBeginning(source: Source, sought: Sought, languages: Languages): Generator<void, Found> {
  const found = yield* search(source, firstSearched, sought, languages);
  if (source.text.length <= firstSearched || found.best.terms >= sought.count) return found;
  return yield* search(source, maxSearched, sought, languages);
}

/** Searches this many characters from the beginning. */
function* search(source: Source, most: number, sought: Sought, languages: Languages): Generator<void, Found> {
  const body = yield* showLines(source, 0, most);
  yield;
  // A title that the text does not show is shown where it was found.
  const front = findUnreadTitle(source.text, source.name);
  const title = joinLines(new ShownText(front?.title ?? '')).text;
  const isTitleFound = title !== '' && (yield* findMatches(title, sought, languages)).length > 0;
  const readable = isTitleFound ? `${title} ${body.text}` : body.text;
  const bodyStart = isTitleFound ? title.length + 1 : 0;
  const placeOf = (offset: number): number =>
    offset < bodyStart ? (front?.start ?? 0) : body.placeOf(offset - bodyStart);
  const matches = yield* findMatches(readable, sought, languages);
  return { readable, placeOf, matches, best: findBest(matches) };
}

/** The search: terms by their place in the query, phrases after them. */
interface Sought {
  readonly exact: ReadonlyMap<string, number>;
  readonly patterns: readonly { readonly term: QueryTerm; readonly index: number }[];
  readonly phrases: readonly { readonly words: readonly string[]; readonly index: number }[];
  /** The place from which on the query has phrases. */
  readonly firstPhrase: number;
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
    firstPhrase: terms.length,
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
