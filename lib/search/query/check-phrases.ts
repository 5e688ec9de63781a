import { nameOf, type Location } from '../../domain/location.js';
import { findTitle, findUnreadTitle } from '../analysis/find-title.js';
import { bodyField, everyField, pathField, titleField } from '../segments/posting.js';
import type { Phrase } from './parse-query.js';
import { withoutTitle } from '../analysis/analyze-document.js';
import { Lookback } from '../analysis/lookback.js';
import { showText } from '../analysis/show-text.js';
import type { Span } from '../analysis/shown-text.js';
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
  /** The start of the window with the first wanted one, in UTF-16 units; undefined where the text does not have it. */
  readonly start: number | undefined;
  /** Characters that were read for it. */
  readonly read: number;
}

/**
 * Looks for phrases in a document's text, its title and its name, or in the field of the phrase. A part of the text is
 * read once, however many phrases can stand in it. Works in steps.
 * @param windowsOf where in the text each phrase can stand; null for a whole text
 */
export function* checkPhrases(
  location: Location,
  text: string,
  phrases: readonly Phrase[],
  windowsOf: (phrase: Phrase) => readonly Span[] | null,
): Generator<void, CheckedPhrases> {
  const name = nameOf(location);
  const all = phrases.map((phrase): Sought => ({ phrase, windowsLeft: 0, isFound: false, start: undefined }));
  const isRefuted = ({ phrase, isFound, windowsLeft }: Sought): boolean =>
    phrase.isProhibited ? isFound : !isFound && windowsLeft === 0;
  const windows = new Map<string, Window>();
  let read = 0;
  for (const sought of all) {
    const { phrase } = sought;
    for (const each of shortFields(phrase, name, text)) {
      if ((yield* findPhrase(spokenWords(each), phrase.words)) >= 0) sought.isFound = true;
    }
    if (!sought.isFound && (phrase.fields & bodyField) !== 0) {
      addWindows(windows, sought, windowsOf(phrase) ?? [{ start: 0, end: maxSearched }]);
    }
    if (isRefuted(sought)) return { areHeld: false, start: undefined, read };
  }
  const lookback = new Lookback();
  for (const { span, withTitle, sought } of [...windows.values()].sort((a, b) => a.span.start - b.span.start)) {
    const open = sought.filter(({ isFound }) => !isFound);
    for (const each of open) each.windowsLeft -= 1;
    if (open.length === 0) continue;
    const part = { start: afterBlank(text, span.start), end: span.end };
    const shown = yield* showText(text, name, { ...part, withTargets: true, lookback });
    yield;
    read += shown.text.length;
    for (const piece of withoutTitle(shown, part, withTitle ? undefined : findTitle(text, name))) {
      const list = yield* wordsInSteps(piece);
      for (const each of open) {
        if (each.isFound || (yield* findPhrase(list, each.phrase.words)) < 0) continue;
        each.isFound = true;
        each.start = span.start;
      }
    }
    if (open.some(isRefuted)) return { areHeld: false, start: undefined, read };
  }
  return { areHeld: true, start: all.find(({ start }) => start !== undefined)?.start, read };
}

/** A phrase, while it is looked for. */
interface Sought {
  readonly phrase: Phrase;
  /** Of the windows in which it can stand, those that are not read yet. */
  windowsLeft: number;
  isFound: boolean;
  /** Of the window with the phrase. */
  start: number | undefined;
}

/** A part of the text, and the phrases that can stand there. */
interface Window {
  readonly span: Span;
  /** Whether a title in it is read with it. */
  readonly withTitle: boolean;
  readonly sought: Sought[];
}

function addWindows(windows: Map<string, Window>, sought: Sought, spans: readonly Span[]): void {
  const withTitle = sought.phrase.fields !== bodyField;
  for (const span of spans) {
    const id = `${span.start} ${span.end} ${withTitle}`;
    const window = windows.get(id) ?? { span, withTitle, sought: [] };
    windows.set(id, window);
    window.sought.push(sought);
    sought.windowsLeft += 1;
  }
}

/** What a phrase is looked for in, besides the text. */
function shortFields({ fields }: Phrase, name: string, text: string): string[] {
  if (fields === everyField) return [findUnreadTitle(text, name)?.title ?? '', name];
  if (fields === pathField) return [name];
  return fields === titleField ? [findTitle(text, name)?.title ?? name] : [];
}

/** Characters of a word that a window may begin with. */
const maxWordLength = 64;

/** The place, or behind the rest of the word that it stands in. */
function afterBlank(text: string, place: number): number {
  if (place === 0) return 0;
  const blank = /\s/u.exec(text.slice(place - 1, place + maxWordLength));
  return blank === null ? place : place + blank.index;
}

function* wordsInSteps(text: string): Generator<void, readonly string[]> {
  const words: string[] = [];
  yield* splitWordsInSteps(text, (word) => {
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
