import { nameOf, type Location } from '../../domain/location.js';
import { findTitle, findUnreadTitle } from '../analysis/find-title.js';
import { bodyField, everyField, pathField, titleField } from '../segments/posting.js';
import type { Phrase } from './parse-query.js';
import { withoutTitle } from '../analysis/analyze-document.js';
import { reduceMarkup, type Span } from '../analysis/reduce-markup.js';
import { isSign, spokenWords, splitWordsInSteps } from '../analysis/split-words.js';

/** Candidates of a phrase that are examined for one page, and characters of their texts that are read. */
export const maxPhraseCandidates = 256;
export const maxPhraseText = 4_000_000;
/** Characters of a text that are searched for a phrase where nothing says in which chunks it can stand. */
const maxSearched = 1_000_000;

/** What a document has of the phrases. */
export interface CheckedPhrases {
  /** Whether it has every wanted one, and none of the prohibited ones. */
  readonly areHeld: boolean;
  /** The start of the window with the first wanted one; 0 where it is elsewhere. UTF-16 units. */
  readonly start: number;
  /** Characters that were read for it. */
  readonly read: number;
}

/**
 * Looks for phrases in a document's text, its title and its name, or in the field of the phrase. Works in steps.
 * @param windowsOf where in the text each phrase can stand; null for a whole text
 */
export function* checkPhrases(
  location: Location,
  text: string,
  phrases: readonly Phrase[],
  windowsOf: (phrase: Phrase) => readonly Span[] | null,
): Generator<void, CheckedPhrases> {
  let place: number | undefined;
  let read = 0;
  for (const phrase of phrases) {
    const windows = windowsOf(phrase) ?? [{ start: 0, end: maxSearched }];
    const found = yield* findInFields(phrase, location, text, windows);
    read += found.read;
    if ((found.start !== undefined) === phrase.isProhibited) return { areHeld: false, start: 0, read };
    place ??= found.start;
  }
  return { areHeld: true, start: place ?? 0, read };
}

interface FoundPhrase {
  /** Of the window with the phrase; 0 for a title or name; undefined for nowhere. */
  readonly start: number | undefined;
  readonly read: number;
}

function* findInFields(
  { words, fields }: Phrase,
  location: Location,
  text: string,
  windows: readonly Span[],
): Generator<void, FoundPhrase> {
  const name = nameOf(location);
  const short: string[] = [];
  if (fields === everyField) short.push(findUnreadTitle(text, name) ?? '', name);
  if (fields === pathField) short.push(name);
  const title = fields === titleField || fields === bodyField ? findTitle(text) : undefined;
  if (fields === titleField) short.push(title?.title ?? name);
  for (const each of short) if ((yield* findPhrase(spokenWords(each), words)) >= 0) return { start: 0, read: 0 };
  let read = 0;
  if ((fields & bodyField) === 0) return { start: undefined, read };
  for (const window of windows) {
    for (const span of title === undefined ? [window] : withoutTitle(window, title)) {
      const start = afterBlank(text, span.start);
      const piece = text.slice(start, span.end);
      read += piece.length;
      const list = yield* wordsOfBody(piece, name, start === 0);
      if ((yield* findPhrase(list, words)) >= 0) return { start: window.start, read };
    }
  }
  return { start: undefined, read };
}

/** Characters of a word that a window may begin with. */
const maxWordLength = 64;

/** The place, or behind the rest of the word that it stands in. */
function afterBlank(text: string, place: number): number {
  if (place === 0) return 0;
  const blank = /\s/u.exec(text.slice(place - 1, place + maxWordLength));
  return blank === null ? place : place + blank.index;
}

function* wordsOfBody(text: string, name: string, isBeginning: boolean): Generator<void, readonly string[]> {
  const words: string[] = [];
  const readable = reduceMarkup(text, name, isBeginning);
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
