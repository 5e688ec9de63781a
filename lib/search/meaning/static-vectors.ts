import type { WordVectors } from './word-vectors.js';

/** A row of signed bytes for each stem. */
export interface VectorTable {
  readonly dimensions: number;
  readonly stems: readonly string[];
  /** The rows of all stems, one after the other. */
  readonly rows: Int8Array;
}

const headBytes = 8;

/** The table's file: the number of dimensions, the length of the stems in bytes, the stems, the rows. */
export function packVectors({ dimensions, stems, rows }: VectorTable): Buffer {
  const names = Buffer.from(stems.join('\n'));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(dimensions, 0);
  head.writeUInt32LE(names.length, 4);
  return Buffer.concat([head, names, Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)]);
}

/** Vectors from a file of `packVectors`. */
export class StaticVectors implements WordVectors {
  readonly name: string;
  readonly dimensions: number;
  readonly #places: ReadonlyMap<string, number>;
  readonly #rows: Int8Array;

  constructor(name: string, packed: Buffer) {
    this.name = name;
    this.dimensions = packed.readUInt32LE(0);
    const rowsAt = headBytes + packed.readUInt32LE(4);
    const stems = packed.toString('utf8', headBytes, rowsAt).split('\n');
    this.#places = new Map(stems.map((stem, place) => [stem, place]));
    this.#rows = new Int8Array(packed.subarray(rowsAt));
  }

  add(stem: string, sums: Int32Array): void {
    const place = this.#places.get(stem);
    if (place === undefined) return;
    const at = place * this.dimensions;
    for (let index = 0; index < this.dimensions; index += 1) {
      sums[index] = (sums[index] ?? 0) + (this.#rows[at + index] ?? 0);
    }
  }
}
