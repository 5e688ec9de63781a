import { nameOf, type Location } from '../../domain/location.js';
import { findTitle, findUnreadTitle } from '../analysis/find-title.js';
import { everyField, pathField, titleField } from '../segments/posting.js';
import type { Phrase } from './parse-query.js';
import { reduceMarkup } from '../analysis/reduce-markup.js';
import { isSign, spokenWords, splitWordsInSteps } from '../analysis/split-words.js';

/** Candidates of a phrase that are read for one page, and characters of their texts. */
export const maxPhraseCandidates = 256;
export const maxPhraseText = 4_000_000;
/** Characters of a text that are searched for a phrase. */
const maxSearched = 1_000_000;

/**
 * Works in steps. @returns whether the document holds every wanted phrase, and none of the prohibited ones: in its text,
 * its title or its name, or in the field of the phrase.
 */
export function* holdsPhrases(location: Location, text: string, phrases: readonly Phrase[]): Generator<void, boolean> {
  const lists = new Map<number, (readonly string[])[]>();
  for (const { words, fields, isProhibited } of phrases) {
    const known = lists.get(fields) ?? (yield* listWords(fields, location, text.slice(0, maxSearched)));
    lists.set(fields, known);
    let isThere = false;
    for (const list of known) isThere ||= (yield* findPhrase(list, words)) >= 0;
    if (isThere === isProhibited) return false;
  }
  return true;
}

/** The words of the fields, in lists that no phrase goes across. */
function* listWords(fields: number, location: Location, text: string): Generator<void, (readonly string[])[]> {
  const name = nameOf(location);
  if (fields === everyField) {
    return [yield* wordsOfBody(text, name), spokenWords(findUnreadTitle(text, name) ?? ''), spokenWords(name)];
  }
  if (fields === pathField) return [spokenWords(name)];
  const title = findTitle(text);
  if (fields === titleField) return [spokenWords(title?.title ?? name)];
  const [start, end] = title === undefined ? [0, 0] : [title.start, title.end];
  return [yield* wordsOfBody(text.slice(0, start), name), yield* wordsOfBody(text.slice(end), name)];
}

function* wordsOfBody(text: string, name: string): Generator<void, readonly string[]> {
  const words: string[] = [];
  const readable = reduceMarkup(text, name);
  yield;
  yield* splitWordsInSteps(readable, (word) => {
    if (!isSign(word)) words.push(word);
  });
  return words;
}

/** Words of a text in one step. */
const wordsBetweenPauses = 50_000;

/**
 * The place of the phrase's first word in the list; -1 when it isn't there. It reads each word of the list twice at
 * most, however often words repeat (the algorithm of Knuth, Morris and Pratt). Works in steps.
 */
export function* findPhrase(list: readonly string[], phrase: readonly string[]): Generator<void, number> {
  const { length } = phrase;
  if (length === 0) return -1;
  const failures = [0];
  for (let index = 1, matched = 0; index < length; index += 1) {
    while (matched > 0 && phrase[index] !== phrase[matched]) matched = failures[matched - 1] ?? 0;
    if (phrase[index] === phrase[matched]) matched += 1;
    failures.push(matched);
  }
  let matched = 0;
  for (let index = 0; index < list.length; index += 1) {
    if (index % wordsBetweenPauses === wordsBetweenPauses - 1) yield;
    while (matched > 0 && list[index] !== phrase[matched]) matched = failures[matched - 1] ?? 0;
    if (list[index] === phrase[matched]) matched += 1;
    if (matched === length) return index - length + 1;
  }
  return -1;
}
