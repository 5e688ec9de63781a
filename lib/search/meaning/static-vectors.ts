/** The vectors that come with the program. Loaded only where an index of meaning is wanted: some megabytes. */
import { packedTable } from '../neighbours/packed-table.js';
import { NeighbourTable } from '../neighbours/neighbour-table.js';
import { packedDimensions, packedVectors } from './packed-vectors.js';
import { ownVectors, type WordVectors } from './word-vectors.js';

class StaticVectors implements WordVectors {
  readonly name = ownVectors;
  readonly dimensions = packedDimensions;
  readonly #places: ReadonlyMap<string, number>;
  readonly #bytes: Int8Array;

  constructor() {
    this.#places = new Map(new NeighbourTable(packedTable).stems.map((stem, place) => [stem, place]));
    this.#bytes = new Int8Array(Buffer.from(packedVectors, 'base64'));
  }

  add(stem: string, sums: Int32Array): void {
    const place = this.#places.get(stem);
    if (place === undefined) return;
    const at = place * this.dimensions;
    for (let index = 0; index < this.dimensions; index += 1) {
      sums[index] = (sums[index] ?? 0) + (this.#bytes[at + index] ?? 0);
    }
  }
}

export const wordVectors: WordVectors = new StaticVectors();
