import type { Location } from '../../domain/location.js';
import { fieldCount } from './posting.js';

/**
 * An immutable piece of the index in one block of shared memory, which worker threads read in place.
 *
 * Each document has one entry, or several: a long one has an entry for its title, name and labels (the head), and one
 * for each chunk of its text directly after it, at the same location and with the same key. An entry's ordinal is its
 * place. Entries stand in the order of their locations (UTF-8 bytes), so that a folder is one range of ordinals. Terms
 * stand in the order of their UTF-8 bytes, so that a prefix is one range of terms. The postings of a term stand in the
 * order of ordinals, so that binary search cuts them to a caller's reach.
 *
 * Layout, in Uint32 of the machine's order: magic, format, counts (entries, terms, postings, bytes of locations, of
 * terms and of directions); keys, ordinals in the order of keys, starts of chunks, field lengths, starts of locations,
 * of terms, of postings and of directions, postings; then bytes: flags, locations, terms, directions.
 */
export interface SegmentSize {
  readonly entries: number;
  readonly terms: number;
  readonly postings: number;
  readonly locationBytes: number;
  readonly termBytes: number;
  /** Bytes of the documents' directions (see meaning/word-vectors.ts); 0 where none are made. */
  readonly directionBytes: number;
}

const magic = 0x63617274;
export const segmentFormat = 3;
const headerWords = 8;

/** Bytes of a segment of that size. */
function sizeInBytes(size: SegmentSize): number {
  const words =
    headerWords + size.entries * (3 + fieldCount) + 2 * (size.entries + 1) + 2 * (size.terms + 1) + size.postings;
  return words * 4 + size.entries + size.locationBytes + size.termBytes + size.directionBytes;
}

/** The flags of an entry that a long document has several of. Other flags are those of `AnalyzedDocument`. */
export const headFlag = 4;
export const chunkFlag = 8;

/** Figures of an entry in the statistics (see `sums`). */
export const figureCount = fieldCount + 2;

export class Segment {
  readonly buffer: SharedArrayBuffer;
  readonly entries: number;
  readonly terms: number;
  readonly keys: Uint32Array;
  readonly keyOrder: Uint32Array;
  /** Where a chunk starts in the text of its document, in UTF-16 units; 0 for other entries. */
  readonly chunkStarts: Uint32Array;
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
  #heads: Uint32Array | null | undefined;

  /** @throws Error when the bytes are not a segment of this format */
  constructor(buffer: SharedArrayBuffer) {
    const header = new Uint32Array(buffer, 0, Math.min(headerWords, buffer.byteLength >>> 2));
    const [mark, format, entries = 0, terms = 0, postings = 0, locationBytes = 0, termBytes = 0, last = 0] = header;
    const size = { entries, terms, postings, locationBytes, termBytes, directionBytes: last };
    if (mark !== magic || format !== segmentFormat || buffer.byteLength !== sizeInBytes(size)) {
      throw new Error('These bytes are not a search segment of this format.');
    }
    this.buffer = buffer;
    this.entries = entries;
    this.terms = terms;
    let at = headerWords * 4;
    const words = (count: number): Uint32Array => {
      const view = new Uint32Array(buffer, at, count);
      at += count * 4;
      return view;
    };
    this.keys = words(entries);
    this.keyOrder = words(entries);
    this.chunkStarts = words(entries);
    this.lengths = words(entries * fieldCount);
    this.locationStarts = words(entries + 1);
    this.termStarts = words(terms + 1);
    this.postingStarts = words(terms + 1);
    this.directionStarts = words(entries + 1);
    this.postings = words(postings);
    this.flags = new Uint8Array(buffer, at, entries);
    this.locationBytes = Buffer.from(buffer, at + entries, locationBytes);
    this.termBytes = Buffer.from(buffer, at + entries + locationBytes, termBytes);
    this.directions = new Int8Array(buffer, at + entries + locationBytes + termBytes, last);
  }

  /** Room for a segment of that size, all zero but its header. */
  static allocate(size: SegmentSize): Segment {
    const buffer = new SharedArrayBuffer(sizeInBytes(size));
    new Uint32Array(buffer, 0, headerWords).set([
      magic,
      segmentFormat,
      size.entries,
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

  /** The ordinal in [from, to) of the first entry at exactly this location, or -1. */
  findLocation(bytes: Uint8Array, from = 0, to = this.entries): number {
    const ordinal = this.firstLocation(bytes, from, to);
    return ordinal < to && compareAt(this.locationBytes, this.locationStarts, ordinal, bytes) === 0 ? ordinal : -1;
  }

  /** The ordinal of the document with the key, that of its head for a long one, or -1. */
  findKey(key: number): number {
    const ordinal = this.keyOrder[this.firstKey(key)];
    return ordinal !== undefined && this.keys[ordinal] === key ? ordinal : -1;
  }

  /** The place in `keyOrder` of the first key not below this one; their number when all are. */
  firstKey(key: number): number {
    let low = 0;
    let high = this.entries;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[this.keyOrder[middle] ?? 0] ?? 0) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Gives the documents their keys, in the order of ordinals; before the segment is searched or shared. */
  assignKeys(keys: ArrayLike<number>): void {
    let document = -1;
    for (let ordinal = 0; ordinal < this.entries; ordinal += 1) {
      if (!this.isChunk(ordinal)) document += 1;
      this.keys[ordinal] = keys[document] ?? 0;
      this.keyOrder[ordinal] = ordinal;
    }
    this.keyOrder.sort((a, b) => (this.keys[a] ?? 0) - (this.keys[b] ?? 0) || a - b);
  }

  /** Whether the entry is a piece of the text of the document before it. */
  isChunk(ordinal: number): boolean {
    return ((this.flags[ordinal] ?? 0) & chunkFlag) !== 0;
  }

  /** Whether the text of the entry's document stands in the entries after it. */
  isHead(ordinal: number): boolean {
    return ((this.flags[ordinal] ?? 0) & headFlag) !== 0;
  }

  /** The ordinal after the last entry of the document that begins at this one. */
  endOf(ordinal: number): number {
    let end = ordinal + 1;
    while (end < this.entries && this.isChunk(end)) end += 1;
    return end;
  }

  /** The ordinals of the documents: of each one's only entry, or of its head. */
  *documents(): Generator<number, void> {
    for (let ordinal = 0; ordinal < this.entries; ordinal += 1) if (!this.isChunk(ordinal)) yield ordinal;
  }

  /** For each entry the ordinal at which its document begins; null where no document has chunks. */
  get heads(): Uint32Array | null {
    if (this.#heads === undefined) {
      this.#heads = null;
      if (this.flags.some((flags) => (flags & chunkFlag) !== 0)) {
        const heads = new Uint32Array(this.entries);
        for (let ordinal = 1; ordinal < this.entries; ordinal += 1) {
          heads[ordinal] = this.isChunk(ordinal) ? (heads[ordinal - 1] ?? 0) : ordinal;
        }
        this.#heads = heads;
      }
    }
    return this.#heads;
  }

  /**
   * Running sums of the entries' figures: the words of each field, then how many of them are chunks and heads. Those
   * before an ordinal start at `ordinal * figureCount`.
   */
  get sums(): Float64Array {
    if (this.#sums === undefined) {
      const sums = new Float64Array((this.entries + 1) * figureCount);
      for (let ordinal = 0, at = 0; ordinal < this.entries; ordinal += 1, at += figureCount) {
        for (let field = 0; field < fieldCount; field += 1) {
          sums[at + figureCount + field] = (sums[at + field] ?? 0) + (this.lengths[ordinal * fieldCount + field] ?? 0);
        }
        const chunks = at + fieldCount;
        sums[chunks + figureCount] = (sums[chunks] ?? 0) + (this.isChunk(ordinal) ? 1 : 0);
        sums[chunks + 1 + figureCount] = (sums[chunks + 1] ?? 0) + (this.isHead(ordinal) ? 1 : 0);
      }
      this.#sums = sums;
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
