import { RepositoryUnreadable } from '../errors.js';

/** Most bytes that one instruction copies, as in git's own deltas. */
const maxCopy = 0x1_0000;
/** Most bytes that one instruction inserts. */
const maxInsertion = 127;
/** Bytes that one stored block of a zlib stream holds. */
export const maxStored = 0xffff;

/** How one sequence of bytes came out of another: its bytes from `start` to `baseEnd` became those to `targetEnd`. */
export interface Replacement {
  readonly start: number;
  readonly baseEnd: number;
  readonly targetEnd: number;
}

/**
 * Writes the instructions that make `target` from `base`, in the form of gitformat-pack(5). Their common beginning and
 * end are copied, and the bytes between are inserted. That suffices for two listings that differ in one name.
 * @param into the buffer, filled from its beginning
 * @returns the number of bytes written; undefined where it does not fit, or would be more than half the target
 */
export function encodeDelta(base: Uint8Array, target: Uint8Array, into: Uint8Array): number | undefined {
  const shorter = Math.min(base.length, target.length);
  let start = 0;
  while (start < shorter && base[start] === target[start]) start += 1;
  let end = 0;
  while (end < shorter - start && base[base.length - 1 - end] === target[target.length - 1 - end]) end += 1;
  const replacement = { start, baseEnd: base.length - end, targetEnd: target.length - end };
  return encodeReplacement(base.length, target, replacement, into);
}

/** The same where it is known which bytes differ, without looking at the others. */
export function encodeReplacement(
  baseLength: number,
  target: Uint8Array,
  { start, baseEnd, targetEnd }: Replacement,
  into: Uint8Array,
): number | undefined {
  const middle = target.subarray(start, targetEnd);
  const end = baseLength - baseEnd;
  const copies = Math.ceil(start / maxCopy) + Math.ceil(end / maxCopy);
  // Two lengths of up to eight bytes, seven bytes a copy, and one more for each insertion.
  const most = 16 + copies * 7 + middle.length + Math.ceil(middle.length / maxInsertion);
  if (most > into.length || most * 2 > target.length) return undefined;
  let at = putLength(into, 0, baseLength);
  at = putLength(into, at, target.length);
  at = putCopies(into, at, 0, start);
  for (let from = 0; from < middle.length; from += maxInsertion) {
    const piece = middle.subarray(from, from + maxInsertion);
    into[at] = piece.length;
    into.set(piece, at + 1);
    at += 1 + piece.length;
  }
  return putCopies(into, at, baseEnd, end);
}

/** Seven bits a byte, the lowest first. @returns where to go on */
function putLength(into: Uint8Array, start: number, length: number): number {
  let at = start;
  let rest = length;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[at++] = (rest % 0x80) | 0x80;
  into[at++] = rest;
  return at;
}

function putCopies(into: Uint8Array, start: number, from: number, length: number): number {
  let at = start;
  for (let done = 0; done < length; done += maxCopy) {
    const offset = from + done;
    const size = Math.min(maxCopy, length - done);
    const opcode = at++;
    let parts = 0x80;
    for (let byte = 0; byte < 4; byte++) {
      const value = (offset >>> (8 * byte)) & 0xff;
      if (value === 0) continue;
      into[at++] = value;
      parts |= 1 << byte;
    }
    // No size byte at all means the largest size.
    for (let byte = 0; byte < 2; byte++) {
      const value = (size >>> (8 * byte)) & 0xff;
      if (value === 0) continue;
      into[at++] = value;
      parts |= 0x10 << byte;
    }
    into[opcode] = parts;
  }
  return at;
}

/**
 * Follows a delta's instructions (gitformat-pack(5)).
 * @returns the target
 * @throws RepositoryUnreadable when the delta is damaged or made for another base
 */
export function applyDelta(base: Buffer, delta: Uint8Array): Buffer {
  const reader = new DeltaReader(delta);
  if (reader.length() !== base.length) throw new RepositoryUnreadable('A delta was made for another base.');
  const length = reader.length();
  // Every instruction makes at most `maxBytes` bytes, so a damaged length cannot ask for more memory than that.
  if (length > delta.length * maxBytes) throw damaged();
  const target = Buffer.allocUnsafeSlow(length);
  let at = 0;
  while (!reader.isAtEnd) {
    const opcode = reader.byte();
    if (opcode === 0) throw damaged();
    const isCopy = opcode >= 0x80;
    const from = isCopy ? reader.number(opcode, 4) : 0;
    const size = isCopy ? reader.number(opcode >>> 4, 3) || maxCopy : opcode;
    const piece = isCopy ? base.subarray(from, from + size) : reader.bytes(size);
    if (piece.length !== size || at + size > length) throw damaged();
    target.set(piece, at);
    at += size;
  }
  if (at !== length) throw damaged();
  return target;
}

/** Most bytes that one instruction copies in anybody's deltas. */
const maxBytes = 0xff_ffff;

class DeltaReader {
  readonly #delta: Uint8Array;
  #at = 0;

  constructor(delta: Uint8Array) {
    this.#delta = delta;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#delta.length;
  }

  byte(): number {
    const byte = this.#delta[this.#at++];
    if (byte === undefined) throw damaged();
    return byte;
  }

  bytes(count: number): Uint8Array {
    this.#at += count;
    return this.#delta.subarray(this.#at - count, this.#at);
  }

  length(): number {
    let length = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      length += (byte & 0x7f) * factor;
      if (byte < 0x80) return length;
    }
  }

  /** A number of the bytes that the lowest `most` bits of `parts` announce. */
  number(parts: number, most: number): number {
    let number = 0;
    for (let place = 0; place < most; place++)
      if ((parts & (1 << place)) !== 0) number += this.byte() * 2 ** (8 * place);
    return number;
  }
}

const damaged = (): RepositoryUnreadable => new RepositoryUnreadable('A delta is damaged.');

/** Bytes of a zlib stream around a stored block. */
export const storedOverhead = 11;

/**
 * Writes a zlib stream (RFC 1950) that holds up to `maxStored` bytes uncompressed. Most of a delta is names of objects,
 * and they do not compress.
 * @param into filled from `at`, by `storedOverhead` bytes more than there are in `bytes`
 */
export function putStored(into: Uint8Array<ArrayBuffer>, at: number, bytes: Uint8Array): void {
  const { length } = bytes;
  const view = new DataView(into.buffer, into.byteOffset);
  // No effort, then the last block (RFC 1951), stored, then the checksum.
  into.set([0x78, 0x01, 0x01], at);
  view.setUint16(at + 3, length, true);
  view.setUint16(at + 5, ~length & 0xffff, true);
  into.set(bytes, at + 7);
  view.setUint32(at + 7 + length, adler32(bytes));
}

/** RFC 1950's checksum. */
function adler32(content: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of content) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}
