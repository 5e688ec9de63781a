import { nameOf, type Location } from '../domain/location.js';
import type { Phrase } from './parse-query.js';
import { reduceMarkup } from './reduce-markup.js';
import { splitWordsInSteps, wordsOf } from './split-words.js';

/** Candidates of a phrase that are read for one page, and characters of their texts. */
export const mostPhraseCandidates = 256;
export const mostPhraseText = 4_000_000;
/** Characters of a text in which a phrase is sought. */
const mostSearched = 1_000_000;

/** Rests where it yields. @returns whether every wanted phrase stands in the text or in the document's name, and no prohibited one does. */
export function* holdsPhrases(location: Location, text: string, phrases: readonly Phrase[]): Generator<void, boolean> {
  const name = nameOf(location);
  const words: string[] = [];
  const readable = reduceMarkup(text.slice(0, mostSearched), name);
  yield;
  yield* splitWordsInSteps(readable, (word) => words.push(word));
  const lists = [words, wordsOf(name)];
  return phrases.every(
    (phrase) => lists.some((list) => placeOfPhrase(list, phrase.words, 0) >= 0) !== phrase.isProhibited,
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
