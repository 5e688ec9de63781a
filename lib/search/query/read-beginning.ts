import { foldText, isWithoutSpaces } from '../analysis/split-words.js';
import type { Languages } from '../languages/languages.js';
import { everyField } from '../segments/posting.js';
import { minPrefixLength, type Clause } from './parse-query.js';

/** A word alone at the end of a query: without a sign, a field or quotes, which stand for something finished. */
const lastWord = /(?:^|\s)([\p{L}\p{N}\p{M}]+)$/u;

/** Makes documents with the whole word come before those with a longer one. */
const beginningBoost = 0.5;

/**
 * The last word of a query that is still being typed, as the beginning of longer words.
 * @returns nothing for a short word, for one in a script without spaces, and behind a blank, which ends it
 */
export function readBeginning(text: string, languages: Languages): Clause[] {
  const word = foldText(lastWord.exec(text)?.[1] ?? '');
  if (Array.from(word).length < minPrefixLength || isWithoutSpaces(word)) return [];
  const term = { type: 'wildcard' as const, pattern: `${word}*`, stems: languages.stemsOfBeginning(word) };
  return [{ presence: 'optional', boost: beginningBoost, fields: everyField, terms: [term] }];
}
