import type { Oid, PackableObject } from '../objects/objects.js';
import { putStored, storedOverhead } from '../objects/delta.js';
import {
  deltaNumber,
  entryHeader,
  headerLength,
  putPackHeader,
  trailerLength,
  typeNumbers,
  type PackLayout,
} from './pack-layout.js';

const firstBytes = 1024 * 1024;
const firstObjects = 4096;

/**
 * A pack that grows object by object in one piece of memory. A hundred thousand small objects, each with bytes of its
 * own, would cost the garbage collector more than making them. Each oid may come once only.
 */
export class PackBuilder {
  #bytes = new Uint8Array(firstBytes);
  #length = headerLength;
  #oids = Buffer.alloc(firstObjects * 20);
  readonly #starts: number[] = [];

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#starts.length === 0;
  }

  add({ oid, type, size, deflated }: PackableObject): void {
    const header = entryHeader(typeNumbers[type], size);
    const at = this.#begin(oid, header.length + deflated.length);
    this.#bytes.set(header, at);
    this.#bytes.set(deflated, at + header.length);
  }

  /**
   * Adds an object as a delta against another one in this pack (`encodeDelta`), of up to `maxStored` bytes. The delta
   * is stored uncompressed.
   */
  addDelta(oid: Oid, base: Oid, delta: Uint8Array): void {
    const header = entryHeader(deltaNumber, delta.length);
    let at = this.#begin(oid, header.length + 20 + delta.length + storedOverhead);
    this.#bytes.set(header, at);
    at += header.length;
    Buffer.from(this.#bytes.buffer).write(base, at, 20, 'hex');
    at += 20;
    putStored(this.#bytes, at, delta);
  }

  /** The pack, for `sealPack`; nothing can be added any more. */
  finish(): PackLayout {
    const count = this.#starts.length;
    const bytes = this.#bytes.slice(0, this.#length + trailerLength);
    putPackHeader(bytes, count);
    bytes.fill(0, this.#length);
    return {
      bytes,
      oids: new Uint8Array(this.#oids.subarray(0, count * 20)),
      starts: Float64Array.from(this.#starts),
    };
  }

  /** Makes room for an entry. @returns where it begins */
  #begin(oid: Oid, length: number): number {
    const start = this.#length;
    const needed = start + length + trailerLength;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
    }
    const index = this.#starts.push(start) - 1;
    if ((index + 1) * 20 > this.#oids.length) this.#oids = Buffer.concat([this.#oids, Buffer.alloc(this.#oids.length)]);
    this.#oids.write(oid, index * 20, 20, 'hex');
    this.#length += length;
    return start;
  }
}
