import { splitWords } from '../analysis/split-words.js';
import { isStopWord, stemWord } from '../analysis/stem-word.js';
import { toDirection, type WordVectors } from './word-vectors.js';

/** Words of a text that make one direction, together with its heading. */
export const wordsOfPart = 60;

/** Goes through a text word by word, and finds the direction of each part. */
export class DirectionFinder {
  readonly #vectors: WordVectors;
  readonly #heading: Int32Array;
  readonly #sums: Int32Array;
  readonly #directions: Int8Array[] = [];
  #words = 0;

  constructor(vectors: WordVectors, heading: string) {
    this.#vectors = vectors;
    this.#heading = sumWords(vectors, heading);
    this.#sums = this.#heading.slice();
  }

  /** @param stem null for a stop word, which takes its place in the part */
  addWord(stem: string | null): void {
    if (stem !== null) this.#vectors.add(stem, this.#sums);
    this.#words += 1;
    if (this.#words === wordsOfPart) this.#endPart();
  }

  /** All directions, one after the other; one at least where the heading has a known word. */
  end(): Int8Array {
    if (this.#words > 0 || this.#directions.length === 0) this.#endPart();
    const all = new Int8Array(this.#directions.length * this.#vectors.dimensions);
    this.#directions.forEach((direction, place) => {
      all.set(direction, place * this.#vectors.dimensions);
    });
    return all;
  }

  #endPart(): void {
    const direction = toDirection(this.#sums);
    if (direction !== undefined) this.#directions.push(direction);
    this.#sums.set(this.#heading);
    this.#words = 0;
  }
}

function sumWords(vectors: WordVectors, text: string): Int32Array {
  const sums = new Int32Array(vectors.dimensions);
  splitWords(text, (word) => {
    if (!isStopWord(word)) vectors.add(stemWord(word), sums);
  });
  return sums;
}
