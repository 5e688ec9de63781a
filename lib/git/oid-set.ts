import type { Oid } from './objects.js';

const oidLength = 20;
const firstRoom = 1 << 14;

/**
 * Names of objects, each once, in the order in which they came: twenty bytes and a place in a table for each, where a
 * set of strings takes ten times as much. The names are hashes, so their first bytes are as good as any hash of them.
 */
export class OidSet {
  #oids = Buffer.alloc(firstRoom * oidLength);
  /** Numbers of names, counted from one, by their first bytes; half of the places are free. */
  #places = new Uint32Array(firstRoom * 2);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(oid: Oid): boolean {
    return this.hasAt(Buffer.from(oid, 'hex'), 0);
  }

  /** Whether the twenty bytes there are one of the names. */
  hasAt(bytes: Buffer, start: number): boolean {
    return this.#places[this.#find(bytes, start)] !== 0;
  }

  add(oid: Oid): void {
    this.addAt(Buffer.from(oid, 'hex'), 0);
  }

  addAt(bytes: Buffer, start: number): void {
    const place = this.#find(bytes, start);
    if (this.#places[place] !== 0) return;
    bytes.copy(this.#oids, this.#size * oidLength, start, start + oidLength);
    this.#size += 1;
    this.#places[place] = this.#size;
    if (this.#size * oidLength === this.#oids.length) this.#grow();
  }

  addAll(others: OidSet): void {
    for (let index = 0; index < others.#size; index++) this.addAt(others.#oids, index * oidLength);
  }

  /** Those that the other one has, too, in their order here. */
  intersect(others: OidSet): OidSet {
    const both = new OidSet();
    for (let at = 0; at < this.#size * oidLength; at += oidLength) {
      if (others.hasAt(this.#oids, at)) both.addAt(this.#oids, at);
    }
    return both;
  }

  /** Every name, in the order in which they came. */
  *[Symbol.iterator](): IterableIterator<Oid> {
    for (let index = 0; index < this.#size; index++) {
      yield this.#oids.toString('hex', index * oidLength, (index + 1) * oidLength);
    }
  }

  /** The place of the name, or the free one where it would stand. */
  #find(bytes: Buffer, start: number): number {
    const mask = this.#places.length - 1;
    let place = bytes.readUInt32LE(start) & mask;
    for (; ; place = (place + 1) & mask) {
      const number = this.#places[place];
      if (number === undefined || number === 0) return place;
      const at = (number - 1) * oidLength;
      if (this.#oids.compare(bytes, start, start + oidLength, at, at + oidLength) === 0) return place;
    }
  }

  #grow(): void {
    this.#oids = Buffer.concat([this.#oids, Buffer.alloc(this.#oids.length)]);
    this.#places = new Uint32Array(this.#places.length * 2);
    for (let number = 1; number <= this.#size; number++) {
      const place = this.#find(this.#oids, (number - 1) * oidLength);
      this.#places[place] = number;
    }
  }
}
