import type { Location } from '../../domain/location.js';
import { fieldCount } from './posting.js';

/**
 * An immutable piece of the index in one block of shared memory, which worker threads read in place.
 *
 * Documents stand in the order of their locations (UTF-8 bytes), so that a folder is one range of ordinals. Terms stand
 * in the order of their UTF-8 bytes, so that a prefix is one range of terms. The postings of a term stand in the order
 * of ordinals, so that binary search cuts them to a caller's reach.
 *
 * Layout, in Uint32 of the machine's order: magic, format, counts (documents, terms, postings, bytes of locations, of
 * terms and of directions); keys, ordinals in the order of keys, field lengths, starts of locations, of terms, of
 * postings and of directions, postings; then bytes: flags, locations, terms, directions.
 */
export interface SegmentSize {
  readonly documents: number;
  readonly terms: number;
  readonly postings: number;
  readonly locationBytes: number;
  readonly termBytes: number;
  /** Bytes of the documents' directions (see meaning/word-vectors.ts); 0 where none are made. */
  readonly directionBytes: number;
}

const magic = 0x63617274;
export const segmentFormat = 2;
const headerWords = 8;

/** Bytes of a segment of that size. */
function sizeInBytes(size: SegmentSize): number {
  const words =
    headerWords + size.documents * (2 + fieldCount) + 2 * (size.documents + 1) + 2 * (size.terms + 1) + size.postings;
  return words * 4 + size.documents + size.locationBytes + size.termBytes + size.directionBytes;
}

export class Segment {
  readonly buffer: SharedArrayBuffer;
  readonly documents: number;
  readonly terms: number;
  readonly keys: Uint32Array;
  readonly keyOrder: Uint32Array;
  readonly lengths: Uint32Array;
  readonly locationStarts: Uint32Array;
  readonly termStarts: Uint32Array;
  readonly postingStarts: Uint32Array;
  /** Where a document's directions start in `directions`. */
  readonly directionStarts: Uint32Array;
  readonly postings: Uint32Array;
  readonly flags: Uint8Array;
  readonly locationBytes: Buffer;
  readonly termBytes: Buffer;
  readonly directions: Int8Array;
  #sums: Float64Array | undefined;

  /** @throws Error when the bytes are not a segment of this format */
  constructor(buffer: SharedArrayBuffer) {
    const header = new Uint32Array(buffer, 0, Math.min(headerWords, buffer.byteLength >>> 2));
    const [mark, format, documents = 0, terms = 0, postings = 0, locationBytes = 0, termBytes = 0, last = 0] = header;
    const size = { documents, terms, postings, locationBytes, termBytes, directionBytes: last };
    if (mark !== magic || format !== segmentFormat || buffer.byteLength !== sizeInBytes(size)) {
      throw new Error('These bytes are not a search segment of this format.');
    }
    this.buffer = buffer;
    this.documents = documents;
    this.terms = terms;
    let at = headerWords * 4;
    const words = (count: number): Uint32Array => {
      const view = new Uint32Array(buffer, at, count);
      at += count * 4;
      return view;
    };
    this.keys = words(documents);
    this.keyOrder = words(documents);
    this.lengths = words(documents * fieldCount);
    this.locationStarts = words(documents + 1);
    this.termStarts = words(terms + 1);
    this.postingStarts = words(terms + 1);
    this.directionStarts = words(documents + 1);
    this.postings = words(postings);
    this.flags = new Uint8Array(buffer, at, documents);
    this.locationBytes = Buffer.from(buffer, at + documents, locationBytes);
    this.termBytes = Buffer.from(buffer, at + documents + locationBytes, termBytes);
    this.directions = new Int8Array(buffer, at + documents + locationBytes + termBytes, last);
  }

  /** Room for a segment of that size, all zero but its header. */
  static allocate(size: SegmentSize): Segment {
    const buffer = new SharedArrayBuffer(sizeInBytes(size));
    new Uint32Array(buffer, 0, headerWords).set([
      magic,
      segmentFormat,
      size.documents,
      size.terms,
      size.postings,
      size.locationBytes,
      size.termBytes,
      size.directionBytes,
    ]);
    return new Segment(buffer);
  }

  locationAt(ordinal: number): Location {
    const start = this.locationStarts[ordinal] ?? 0;
    return this.locationBytes.toString('utf8', start, this.locationStarts[ordinal + 1]) as Location;
  }

  directionsOf(ordinal: number): Int8Array {
    return this.directions.subarray(this.directionStarts[ordinal], this.directionStarts[ordinal + 1]);
  }

  termAt(index: number): string {
    return this.termBytes.toString('utf8', this.termStarts[index], this.termStarts[index + 1]);
  }

  /** The first ordinal in [from, to) whose location is not before the bytes; `to` when all are. */
  firstLocation(bytes: Uint8Array, from: number, to: number): number {
    return firstNotBefore(this.locationBytes, this.locationStarts, bytes, from, to);
  }

  /** The first term not before the bytes. */
  firstTerm(bytes: Uint8Array): number {
    return firstNotBefore(this.termBytes, this.termStarts, bytes, 0, this.terms);
  }

  /** The place of exactly this term, or -1. */
  findTerm(bytes: Uint8Array): number {
    const index = this.firstTerm(bytes);
    return index < this.terms && compareAt(this.termBytes, this.termStarts, index, bytes) === 0 ? index : -1;
  }

  /** The ordinal in [from, to) of exactly this location, or -1. */
  findLocation(bytes: Uint8Array, from = 0, to = this.documents): number {
    const ordinal = this.firstLocation(bytes, from, to);
    return ordinal < to && compareAt(this.locationBytes, this.locationStarts, ordinal, bytes) === 0 ? ordinal : -1;
  }

  /** The ordinal of the document with the key, or -1. */
  findKey(key: number): number {
    const ordinal = this.keyOrder[this.firstKey(key)];
    return ordinal !== undefined && this.keys[ordinal] === key ? ordinal : -1;
  }

  /** The place in `keyOrder` of the first key not below this one; their number when all are. */
  firstKey(key: number): number {
    let low = 0;
    let high = this.documents;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[this.keyOrder[middle] ?? 0] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Gives the documents their keys, in the order of ordinals; before the segment is searched or shared. */
  assignKeys(keys: ArrayLike<number>): void {
    this.keys.set(keys);
    this.keyOrder.forEach((_, index) => (this.keyOrder[index] = index));
    this.keyOrder.sort((a, b) => (this.keys[a] ?? 0) - (this.keys[b] ?? 0));
  }

  /** Running sums of the field lengths: the sums before an ordinal start at `ordinal * fieldCount`. */
  get sums(): Float64Array {
    if (this.#sums === undefined) {
      this.#sums = new Float64Array((this.documents + 1) * fieldCount);
      for (let index = 0; index < this.lengths.length; index += 1) {
        this.#sums[index + fieldCount] = (this.#sums[index] ?? 0) + (this.lengths[index] ?? 0);
      }
    }
    return this.#sums;
  }
}

function firstNotBefore(all: Buffer, starts: Uint32Array, bytes: Uint8Array, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAt(all, starts, middle, bytes) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Negative when the entry comes before the bytes, 0 when they are the same. */
function compareAt(all: Buffer, starts: Uint32Array, index: number, bytes: Uint8Array): number {
  return compareBytes(all, starts[index] ?? 0, starts[index + 1] ?? 0, bytes, 0, bytes.length);
}

/** Compares two ranges of bytes as UTF-8 text is ordered. */
export function compareBytes(a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number) {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let index = 0; index < length; index += 1) {
    const difference = (a[aStart + index] ?? 0) - (b[bStart + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}
