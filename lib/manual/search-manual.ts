import { isStopWord, stemWord } from '../search/analysis/stem-word.js';
import type { BuiltManual, IndexedWord, Section } from './built-manual.js';

/** Characters of a question that are read, and the words of it that count. */
export const maxQuestion = 200;
const maxWords = 8;
/** Words of the index that one word of a question may begin. */
const maxBeginnings = 64;
/** A word that is written out counts more than one that is only begun. */
const wholeWord = 4;
const maxResults = 20;
const excerptLength = 200;

/** A part of an excerpt, and whether it is a word of the question. */
export interface Piece {
  readonly text: string;
  readonly isFound: boolean;
}

export interface Result {
  readonly section: Section;
  readonly excerpt: readonly Piece[];
}

export interface Results {
  /** The best ones, best first. */
  readonly results: readonly Result[];
  /** Whether each result has all words of the question. */
  readonly hasAll: boolean;
  /** Whether there are more than the best ones. */
  readonly isCut: boolean;
}

/** The words of a question, in the form that the index has them. */
function readWords(question: string): readonly string[] {
  const words = question
    .slice(0, maxQuestion)
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u);
  const stems = words.filter((word) => word !== '' && !isStopWord(word)).map(stemWord);
  return [...new Set(stems)].slice(0, maxWords);
}

/** The place of the first word of the index that is not before this one. */
function findFirst(words: readonly IndexedWord[], wanted: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.[0] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The sections that have the word, or one that it begins, with the weight there. */
function weigh(words: readonly IndexedWord[], wanted: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const first = findFirst(words, wanted);
  for (const [word, weights] of words.slice(first, first + maxBeginnings)) {
    if (!word.startsWith(wanted)) break;
    const factor = word === wanted ? wholeWord : 1;
    for (let at = 0; at + 1 < weights.length; at += 2) {
      const section = weights[at] ?? 0;
      found.set(section, Math.max(found.get(section) ?? 0, (weights[at + 1] ?? 0) * factor));
    }
  }
  return found;
}

/** The part of the text around the first word of the question, cut between words. Only this part is split. */
function cutExcerpt(text: string, stems: readonly string[]): readonly Piece[] {
  const isFound = (word: string): boolean => {
    const folded = word.toLowerCase();
    return stems.some((stem) => folded.startsWith(stem));
  };
  let hit = 0;
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (!isFound(word)) continue;
    hit = index;
    break;
  }
  const from = cutBefore(text, hit - excerptLength / 3);
  const end = cutBefore(text, from + excerptLength);
  const shown = text
    .slice(from, end)
    .split(/([\p{L}\p{N}_]+)/u)
    .flatMap((part): Piece[] => (part === '' ? [] : [{ text: part, isFound: isFound(part) }]));
  const cut = (needed: boolean): Piece[] => (needed ? [{ text: '…', isFound: false }] : []);
  return [...cut(from > 0), ...shown, ...cut(end < text.length)];
}

/** The last beginning of a word at or before the place. */
function cutBefore(text: string, place: number): number {
  if (place <= 0) return 0;
  if (place >= text.length) return text.length;
  return text.lastIndexOf(' ', place) + 1;
}

/**
 * Finds sections of the manual. Where no section has all words of the question, those with most of them are found.
 * @param question as typed; more than the bounds is not read
 */
export function searchManual({ sections, words }: BuiltManual, question: string): Results {
  const stems = readWords(question);
  const scores = new Map<number, { words: number; weight: number }>();
  for (const stem of stems) {
    for (const [section, weight] of weigh(words, stem)) {
      const before = scores.get(section) ?? { words: 0, weight: 0 };
      scores.set(section, { words: before.words + 1, weight: before.weight + weight });
    }
  }
  const ranked = [...scores].sort(([, a], [, b]) => b.words - a.words || b.weight - a.weight);
  const most = ranked[0]?.[1].words ?? 0;
  const hasAll = most === stems.length;
  const found = ranked.filter(([, { words: count }]) => !hasAll || count === most);
  const best = found.slice(0, maxResults);
  const results = best.flatMap(([place]): Result[] => {
    const section = sections[place];
    return section === undefined ? [] : [{ section, excerpt: cutExcerpt(section.text, stems) }];
  });
  return { results, hasAll, isCut: found.length > best.length };
}
