import { nameOf, type Location } from '../domain/location.js';
import { longestText } from './analyze-document.js';
import { placeOfPhrase } from './check-phrases.js';
import { isWithinEdits, matchesWildcard } from './match-pattern.js';
import type { Query, QueryTerm } from './parse-query.js';
import { reduceMarkup } from './reduce-markup.js';
import { splitWords } from './split-words.js';
import { stemWord } from './stem-word.js';

/** A stretch of a document's text and where in it the query's words stand: [start, end) in UTF-16 units. */
export interface Snippet {
  readonly snippet: string;
  readonly highlights: readonly (readonly [number, number])[];
}

const longestSnippet = 240;
/** Text before the first highlight. */
const lead = 60;
/** Characters that are looked at; a hit further down shows the beginning. */
const mostSearched = Math.min(longestText, 1_000_000);

interface Match {
  readonly start: number;
  readonly end: number;
  /** Which term of the query it is. */
  readonly term: number;
}

/** The stretch with most different words of the query, the earliest of equals. For text only. */
export function makeSnippet(location: Location, text: string, query: Query): Snippet {
  const readable = reduceMarkup(text.slice(0, mostSearched), nameOf(location)).replace(/\s+/gu, ' ').trim();
  const matches = findMatches(readable, query);
  const start = startOfBest(readable, matches);
  let end = endOfCharacter(readable, Math.min(readable.length, start + longestSnippet));
  if (end < readable.length) {
    const space = readable.lastIndexOf(' ', end);
    if (space > start + longestSnippet / 2) end = space;
  }
  const highlights: [number, number][] = [];
  for (const match of matches) {
    if (match.start < start || match.end > end) continue;
    const last = highlights[highlights.length - 1];
    const [from, to] = [match.start - start, match.end - start];
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else highlights.push([from, to]);
  }
  return { snippet: readable.slice(start, end), highlights };
}

function findMatches(text: string, query: Query): Match[] {
  const terms = query.clauses.filter(({ presence }) => presence !== 'prohibited').flatMap((clause) => clause.terms);
  const places = new Map<string, number>();
  terms.forEach((term, index) => {
    if (term.type === 'exact') places.set(term.term, index);
  });
  const patterns = terms.map((term, index) => ({ term, index })).filter(({ term }) => term.type !== 'exact');
  const known = new Map<string, number>();
  const termOf = (word: string): number => {
    const stem = stemWord(word);
    const pattern = patterns.find(({ term }) => matchesPattern(stem, term));
    return places.get(stem) ?? pattern?.index ?? -1;
  };
  const words: string[] = [];
  const matches: Match[] = [];
  const spans: number[] = [];
  splitWords(text, (word, start, end) => {
    words.push(word);
    spans.push(start, end);
    let term = known.get(word);
    if (term === undefined) known.set(word, (term = termOf(word)));
    if (term >= 0) matches.push({ start, end, term });
  });
  const phrases = query.phrases.filter(({ isProhibited }) => !isProhibited);
  const placed = phrases.flatMap(({ words: phrase }, index): Match[] => {
    const place = placeOfPhrase(words, phrase, 0);
    if (place < 0) return [];
    const end = spans[2 * (place + phrase.length - 1) + 1] ?? 0;
    return [{ start: spans[2 * place] ?? 0, end, term: terms.length + index }];
  });
  return [...matches, ...placed].sort((a, b) => a.start - b.start || a.end - b.end);
}

function matchesPattern(stem: string, term: QueryTerm): boolean {
  if (term.type === 'wildcard') return stem === term.stem || matchesWildcard(stem, term.pattern);
  return term.type === 'fuzzy' && isWithinEdits(stem, term.term, term.edits);
}

/** Slides a window over the matches; one pass. */
function startOfBest(text: string, matches: readonly Match[]): number {
  const counts = new Map<number, number>();
  let best = 0;
  let most = 0;
  let low = 0;
  for (const match of matches) {
    counts.set(match.term, (counts.get(match.term) ?? 0) + 1);
    for (let first = matches[low]; first !== undefined && match.end - first.start > longestSnippet - lead;) {
      const left = (counts.get(first.term) ?? 1) - 1;
      if (left === 0) counts.delete(first.term);
      else counts.set(first.term, left);
      low += 1;
      first = matches[low];
    }
    if (counts.size > most) {
      most = counts.size;
      best = matches[low]?.start ?? 0;
    }
  }
  if (best <= lead) return 0;
  const space = text.indexOf(' ', best - lead);
  return space >= 0 && space < best ? space + 1 : endOfCharacter(text, best - lead);
}

/** Not between the two halves of one character. */
function endOfCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
