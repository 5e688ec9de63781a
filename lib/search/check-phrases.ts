import { nameOf, type Location } from '../domain/location.js';
import type { Phrase } from './parse-query.js';
import { reduceMarkup } from './reduce-markup.js';
import { wordsOf } from './split-words.js';

/** Characters of a text in which a phrase is sought. */
const mostSearched = 1_000_000;

/** Whether every wanted phrase stands in the text or in the document's name, and no prohibited one does. */
export function holdsPhrases(location: Location, text: string, phrases: readonly Phrase[]): boolean {
  const name = nameOf(location);
  const lists = [wordsOf(reduceMarkup(text.slice(0, mostSearched), name)), wordsOf(name)];
  return phrases.every(
    ({ words, isProhibited }) => lists.some((list) => placeOfPhrase(list, words, 0) >= 0) !== isProhibited,
  );
}

/** The place of the phrase's first word in the list, from the place given on; -1 when it isn't there. */
export function placeOfPhrase(list: readonly string[], phrase: readonly string[], from: number): number {
  const [first] = phrase;
  if (first === undefined) return -1;
  for (let place = list.indexOf(first, from); place >= 0; place = list.indexOf(first, place + 1)) {
    if (phrase.every((word, index) => list[place + index] === word)) return place;
  }
  return -1;
}
