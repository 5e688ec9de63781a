import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { RepositoryUnreadable } from './errors.js';

const fanoutAt = 8;
const fanoutLength = 1024;
const oidsAt = fanoutAt + fanoutLength;
const oidLength = 20;
const trailerLength = 40;
const largestShort = 0x7fff_ffff;

/** An index up to so many bytes (150,000 objects) is held in memory; of a larger one only the first kilobyte is. */
const largestHeld = 4 * 1024 * 1024;
/** Names that are looked through in one piece, where an index is read by position. */
const mostAtOnce = 256;

/**
 * A pack's index of version 2 (gitformat-pack(5)), open for looking up. Synchronous: a look-up takes one or two
 * microseconds where the system has the file in memory.
 */
export class PackIndex {
  readonly #fanout: Uint32Array;
  readonly #count: number;
  /** The whole file, or null where it is read by position. */
  readonly #held: Buffer | null;
  #file: number | null;

  /**
   * @param held bytes up to which the file is held in memory
   * @throws RepositoryUnreadable for what is no such index; node's errors
   */
  constructor(path: string, held = largestHeld) {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const start = readAt(file, 0, oidsAt);
      if (start.readUInt32BE(0) !== 0xff74_4f63 || start.readUInt32BE(4) !== 2) throw damaged(path);
      this.#fanout = Uint32Array.from({ length: 256 }, (_, byte) => start.readUInt32BE(fanoutAt + byte * 4));
      if (this.#fanout.some((count, byte) => byte > 0 && count < (this.#fanout[byte - 1] ?? 0))) throw damaged(path);
      this.#count = this.#fanout[255] ?? 0;
      if (size < oidsAt + this.#count * 28 + trailerLength) throw damaged(path);
      this.#held = size <= held ? readAt(file, 0, size) : null;
      this.#file = this.#held === null ? file : null;
    } catch (error) {
      closeSync(file);
      throw error;
    }
    if (this.#held !== null) closeSync(file);
  }

  /**
   * Where the object's entry begins in the pack; undefined when the pack does not hold it.
   * @param oid 20 bytes
   * @throws node's errors; RepositoryUnreadable when the file ends too soon
   */
  find(oid: Buffer): number | undefined {
    const first = oid[0] ?? 0;
    let low = first === 0 ? 0 : (this.#fanout[first - 1] ?? 0);
    let high = this.#fanout[first] ?? 0;
    while (high - low > mostAtOnce) {
      const middle = (low + high) >>> 1;
      if (this.#read(oidsAt + middle * oidLength, oidLength).compare(oid) < 0) low = middle + 1;
      else high = middle + 1;
    }
    if (low >= high) return undefined;
    const place = findAmong(this.#read(oidsAt + low * oidLength, (high - low) * oidLength), oid);
    return place === undefined ? undefined : this.#start(low + place);
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #start(place: number): number {
    const startsAt = oidsAt + this.#count * 24;
    const start = this.#read(startsAt + place * 4, 4).readUInt32BE(0);
    if (start <= largestShort) return start;
    const longAt = startsAt + this.#count * 4 + (start - largestShort - 1) * 8;
    return Number(this.#read(longAt, 8).readBigUInt64BE(0));
  }

  #read(position: number, length: number): Buffer {
    if (this.#held !== null) return this.#held.subarray(position, position + length);
    if (this.#file === null) throw new RepositoryUnreadable("A pack's index is closed.");
    return readAt(this.#file, position, length);
  }
}

/** Where the name stands among these, which are in order; undefined when it does not. */
function findAmong(names: Buffer, oid: Buffer): number | undefined {
  const key = oid.readUInt32BE(0);
  let low = 0;
  let high = names.length / oidLength;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (names.readUInt32BE(middle * oidLength) < key) low = middle + 1;
    else high = middle;
  }
  for (let at = low * oidLength; at < names.length && names.readUInt32BE(at) === key; at += oidLength) {
    if (names.compare(oid, 0, oidLength, at, at + oidLength) === 0) return at / oidLength;
  }
  return undefined;
}

/** @throws RepositoryUnreadable when the file ends before that */
export function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  if (readInto(file, position, bytes) < length) throw new RepositoryUnreadable('A file of a pack is cut short.');
  return bytes;
}

/** Fills the buffer from there on. @returns how many bytes there were */
export function readInto(file: number, position: number, into: Buffer): number {
  let read = 0;
  while (read < into.length) {
    const more = readSync(file, into, read, into.length - read, position + read);
    if (more === 0) break;
    read += more;
  }
  return read;
}

function damaged(path: string): RepositoryUnreadable {
  return new RepositoryUnreadable(`${path} is no index of a pack.`);
}
