/** Vectors of a few words in three dimensions, by hand, for histories. */
import type { WordVectors } from '../../lib/search/meaning/word-vectors.js';

const vectors: Readonly<Record<string, readonly [number, number, number]>> = {
  ada: [90, 10, 0],
  bell: [70, 60, 0],
  cell: [0, 80, 30],
  cellar: [10, 70, 60],
  ballad: [-40, 0, 90],
  walk: [0, -20, 100],
};

export const wordVectors: WordVectors = {
  name: 'tiny',
  dimensions: 3,
  add(stem, sums) {
    vectors[stem]?.forEach((value, index) => {
      sums[index] = (sums[index] ?? 0) + value;
    });
  },
};
