import { cutTerm, type ReachedSegment } from '../segments/cut-postings.js';
import { everyField } from '../segments/posting.js';
import { countMost } from '../segments/reach-segments.js';
import { releaseAccumulator, takeAccumulator, type ScoreAccumulator } from '../ranking/score-accumulator.js';
import { isWithoutSpaces, splitWords } from '../analysis/split-words.js';
import type { Languages } from '../languages/languages.js';
import { minFuzzyWordLength, type Query, type QueryTerm } from './parse-query.js';
import { stemsOfVariants } from './vary-spelling.js';

/** Words of a query that are looked at, and those for which another is found. */
const maxWords = 6;
export const maxSuggestions = 3;

/**
 * For words of a query that no document in reach has: the stem that is one slip away, and most frequent in reach. Stems
 * with the word's first letter come first, because few slips change it. Works in steps.
 * @returns at most three
 */
export function* suggestStems(
  reached: readonly ReachedSegment[],
  text: string,
  query: Query,
  languages: Languages,
): Generator<void, string[]> {
  const accumulator = takeAccumulator(countMost(reached));
  const found = yield* findStems(reached, wordsToCheck(text, query, languages), languages, accumulator);
  releaseAccumulator(accumulator);
  return found;
}

function* findStems(
  reached: readonly ReachedSegment[],
  words: readonly string[],
  languages: Languages,
  on: ScoreAccumulator,
): Generator<void, string[]> {
  const found: string[] = [];
  for (const word of words) {
    if (found.length === maxSuggestions) break;
    let isKnown = false;
    for (const stem of languages.stemsOf(word, word)) isKnown ||= (yield* frequencyOf(reached, stem, on)) > 0;
    if (isKnown) continue;
    let best = { stem: '', frequency: 0, hasFirstLetter: false };
    for (const stem of yield* stemsOfVariants(word, languages)) {
      const frequency = yield* frequencyOf(reached, stem, on);
      if (frequency === 0) continue;
      const hasFirstLetter = stem.charAt(0) === word.charAt(0);
      const isBetter = hasFirstLetter === best.hasFirstLetter ? frequency > best.frequency : hasFirstLetter;
      if (isBetter) best = { stem, frequency, hasFirstLetter };
    }
    if (best.stem !== '' && !found.includes(best.stem)) found.push(best.stem);
  }
  return found;
}

/** Words that the query asks for as they are: no field's name, nothing left out, and no pattern. */
function wordsToCheck(text: string, { clauses }: Query, languages: Languages): string[] {
  const asked = new Set(
    clauses.filter(({ presence }) => presence !== 'prohibited').flatMap(({ terms }) => terms.flatMap(stemsOf)),
  );
  const words = new Set<string>();
  splitWords(text, (word) => {
    const isSpelled = word.length >= minFuzzyWordLength && !isWithoutSpaces(word) && !languages.isStopWord(word);
    if (!isSpelled || words.size === maxWords) return;
    if (languages.stemsOf(word, word).some((stem) => asked.has(stem))) words.add(word);
  });
  return [...words];
}

function stemsOf(term: QueryTerm): readonly string[] {
  if (term.type === 'any') return term.terms;
  return term.type === 'exact' ? [term.term] : [];
}

function* frequencyOf(reached: readonly ReachedSegment[], stem: string, on: ScoreAccumulator): Generator<void, number> {
  return (yield* cutTerm(reached, { type: 'exact', term: stem }, everyField, on)).frequency;
}

/** The query of one stem, with the filters of the query it is suggested for. */
export function queryOfStem(stem: string, { folders }: Pick<Query, 'folders'>): Query {
  const terms = [{ type: 'exact' as const, term: stem }];
  const clause = { presence: 'required' as const, boost: 1, fields: everyField, terms };
  return { clauses: [clause], phrases: [], folders, readsAll: false };
}
