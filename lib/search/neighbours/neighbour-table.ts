import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { compareText } from '../../domain/location.js';

export interface Neighbour {
  /** Where the neighbour stands in the list of stems. */
  readonly place: number;
  /** Between 0 and 1: how near in meaning. */
  readonly cosine: number;
}

/** Stems in order, and the neighbours of each. */
export interface NeighbourLists {
  readonly stems: readonly string[];
  readonly lists: readonly (readonly Neighbour[])[];
}

/** A cosine is kept in one byte. */
const maxCosine = 255;
const bytesOfNeighbour = 3;

/**
 * As text that a source file can hold: the length of the stems, the stems, then for each of them how many
 * neighbours it has, and their places and cosines.
 */
export function packNeighbours({ stems, lists }: NeighbourLists): string {
  const names = Buffer.from(stems.join('\n'));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(names.length);
  const parts = lists.map((list) => {
    const part = Buffer.alloc(1 + bytesOfNeighbour * list.length);
    part[0] = list.length;
    list.forEach(({ place, cosine }, index) => {
      const at = 1 + bytesOfNeighbour * index;
      part.writeUInt16LE(place, at);
      part[at + 2] = Math.round(cosine * maxCosine);
    });
    return part;
  });
  return deflateRawSync(Buffer.concat([head, names, ...parts]), { level: 9 }).toString('base64');
}

/** Words near in meaning, from a table that was made once and knows nothing of any workspace. */
export class NeighbourTable {
  readonly #stems: readonly string[];
  readonly #starts: Uint32Array;
  readonly #bytes: Buffer;

  constructor(packed: string) {
    this.#bytes = inflateRawSync(Buffer.from(packed, 'base64'));
    let at = 4 + this.#bytes.readUInt32LE(0);
    this.#stems = this.#bytes.toString('utf8', 4, at).split('\n');
    this.#starts = Uint32Array.from(this.#stems, () => {
      const start = at;
      at += 1 + bytesOfNeighbour * (this.#bytes[at] ?? 0);
      return start;
    });
  }

  /** In order. */
  get stems(): readonly string[] {
    return this.#stems;
  }

  /** The nearest first; none for a stem that the table doesn't have. */
  neighboursOf(stem: string): { readonly stem: string; readonly cosine: number }[] {
    const start = this.#starts[this.#placeOf(stem)];
    if (start === undefined) return [];
    return Array.from({ length: this.#bytes[start] ?? 0 }, (_, index) => {
      const at = start + 1 + bytesOfNeighbour * index;
      return {
        stem: this.#stems[this.#bytes.readUInt16LE(at)] ?? '',
        cosine: (this.#bytes[at + 2] ?? 0) / maxCosine,
      };
    });
  }

  #placeOf(stem: string): number {
    let low = 0;
    let high = this.#stems.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareText(this.#stems[middle] ?? '', stem) < 0) low = middle + 1;
      else high = middle;
    }
    return this.#stems[low] === stem ? low : -1;
  }
}
