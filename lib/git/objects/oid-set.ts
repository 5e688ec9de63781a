import type { Oid } from './objects.js';

const oidLength = 20;
const firstRoom = 1 << 14;

/**
 * A set of object names in the order of insertion. Each takes twenty bytes and a place in a table; a set of strings
 * takes ten times as much. The names are hashes, so their first bytes are as good as any hash of them.
 */
export class OidSet {
  #oids: Buffer;
  /** The same bytes: reading numbers from this view is much faster than comparing bytes by calls of their own. */
  #view: DataView;
  /** Numbers of names, counted from one, by their first bytes; half of the places are free. */
  #places: Uint32Array;
  #size = 0;

  /** @param room names for which it allocates room at once */
  constructor(room = firstRoom) {
    let names = firstRoom;
    while (names < room) names *= 2;
    this.#oids = Buffer.alloc(names * oidLength);
    this.#view = viewOf(this.#oids);
    this.#places = new Uint32Array(names * 2);
  }

  get size(): number {
    return this.#size;
  }

  has(oid: Oid): boolean {
    return this.#has(viewOf(Buffer.from(oid, 'hex')), 0);
  }

  add(oid: Oid): void {
    this.#add(viewOf(Buffer.from(oid, 'hex')), 0);
  }

  /** Adds `count` names that lie one behind the other. */
  addRow(bytes: Buffer, start: number, count: number): void {
    const view = viewOf(bytes);
    for (let at = start; at < start + count * oidLength; at += oidLength) this.#add(view, at);
  }

  addAll(others: OidSet): void {
    for (let index = 0; index < others.#size; index++) this.#add(others.#view, index * oidLength);
  }

  /** The names that the other set has, too, in the order of this one. */
  intersect(others: OidSet): OidSet {
    const both = new OidSet(Math.min(this.#size, others.#size) + 1);
    for (let at = 0; at < this.#size * oidLength; at += oidLength) {
      if (others.#has(this.#view, at)) both.#add(this.#view, at);
    }
    return both;
  }

  /** The names that the other set lacks, in the order of this one. */
  without(others: OidSet): OidSet {
    const left = new OidSet();
    for (let at = 0; at < this.#size * oidLength; at += oidLength) {
      if (!others.#has(this.#view, at)) left.#add(this.#view, at);
    }
    return left;
  }

  /** The names one behind the other, 20 bytes each: a copy for another thread. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#oids.subarray(0, this.#size * oidLength));
  }

  /** Every name, in the order of insertion. */
  *[Symbol.iterator](): IterableIterator<Oid> {
    for (let index = 0; index < this.#size; index++) {
      yield this.#oids.toString('hex', index * oidLength, (index + 1) * oidLength);
    }
  }

  #has(view: DataView, start: number): boolean {
    return this.#places[this.#find(view, start)] !== 0;
  }

  #add(view: DataView, start: number): void {
    const place = this.#find(view, start);
    if (this.#places[place] !== 0) return;
    const at = this.#size * oidLength;
    for (let byte = 0; byte < oidLength; byte += 4) this.#view.setUint32(at + byte, view.getUint32(start + byte));
    this.#size += 1;
    this.#places[place] = this.#size;
    if (this.#size * oidLength === this.#oids.length) this.#grow();
  }

  /** The place of the name, or the free one where it would stand. */
  #find(view: DataView, start: number): number {
    const mine = this.#view;
    const mask = this.#places.length - 1;
    const first = view.getUint32(start);
    let place = first & mask;
    for (; ; place = (place + 1) & mask) {
      const number = this.#places[place];
      if (number === undefined || number === 0) return place;
      const at = (number - 1) * oidLength;
      if (
        mine.getUint32(at) === first &&
        mine.getUint32(at + 4) === view.getUint32(start + 4) &&
        mine.getUint32(at + 8) === view.getUint32(start + 8) &&
        mine.getUint32(at + 12) === view.getUint32(start + 12) &&
        mine.getUint32(at + 16) === view.getUint32(start + 16)
      ) {
        return place;
      }
    }
  }

  #grow(): void {
    this.#oids = Buffer.concat([this.#oids, Buffer.alloc(this.#oids.length)]);
    this.#view = viewOf(this.#oids);
    this.#places = new Uint32Array(this.#places.length * 2);
    for (let number = 1; number <= this.#size; number++) {
      const place = this.#find(this.#view, (number - 1) * oidLength);
      this.#places[place] = number;
    }
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
