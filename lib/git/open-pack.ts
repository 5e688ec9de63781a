import { closeSync, openSync } from 'node:fs';
import { applyDelta } from './delta.js';
import { RepositoryUnreadable } from './errors.js';
import { inflateObject, type GitObject, type ObjectType, type Oid, type PackableObject } from './objects.js';
import { PackIndex, readInto } from './pack-index.js';
import { trailerLength } from './pack-layout.js';

/** Bytes that are read first: all of most entries, since text takes half of its length in a pack or less. */
const firstBytes = 4 * 1024;
/** Header and base of an entry are never longer. */
const longestHead = 32;
/** Deltas on the way to a whole object. git makes no more than 50 unless it is told to. */
const longestChain = 250;

const types: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob' };
const offsetDelta = 6;
const namedDelta = 7;

/** Shared by all packs: what is in it is used up before anything else can run. */
const scratch = Buffer.alloc(firstBytes);

/** The beginning of an entry. */
interface EntryHead {
  readonly number: number;
  /** Bytes of content, or of the delta. */
  readonly size: number;
  /** Where the entry begins that a delta goes by. */
  readonly base: number | undefined;
  /** Bytes up to the zlib stream. */
  readonly length: number;
  /** Bytes that `scratch` has of the entry, and perhaps of others behind it. */
  readonly read: number;
}

/**
 * One pack, open, its objects read by position. Synchronous, and the files are open all the time: a pack that is
 * removed can be read until `close`. What it gives is not checked against the object's name.
 */
export class OpenPack {
  readonly #index: PackIndex;
  #file: number | null;

  /**
   * @param path of both files, without their endings
   * @throws RepositoryUnreadable for a damaged index; node's errors
   */
  constructor(path: string) {
    this.#index = new PackIndex(`${path}.idx`);
    try {
      this.#file = openSync(`${path}.pack`, 'r');
    } catch (error) {
      this.#index.close();
      throw error;
    }
  }

  /**
   * The object; undefined when the pack does not hold it, null when it is larger than that.
   * @param largest bytes
   * @throws RepositoryUnreadable when it is damaged; node's errors
   */
  read(oid: Oid, largest: number): GitObject | null | undefined {
    const start = this.#index.find(Buffer.from(oid, 'hex'));
    if (start === undefined) return undefined;
    const deltas: Buffer[] = [];
    for (let at = start; deltas.length <= longestChain;) {
      const head = this.#readHead(at);
      if (head.size > largest) return null;
      const type = types[head.number];
      const bytes = this.#inflate({ oid, type: type ?? 'blob', size: head.size }, at, head);
      if (type !== undefined) return build(type, bytes, deltas, largest);
      if (head.base === undefined) throw new RepositoryUnreadable(`Object ${oid} goes by one that is not there.`);
      deltas.push(bytes);
      at = head.base;
    }
    throw new RepositoryUnreadable(`Object ${oid} lies behind too many deltas.`);
  }

  close(): void {
    this.#index.close();
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #readHead(start: number): EntryHead {
    if (this.#file === null) throw new RepositoryUnreadable('A pack is closed.');
    const read = readInto(this.#file, start, scratch);
    if (read <= trailerLength) throw new RepositoryUnreadable('A pack is cut short.');
    let at = 0;
    let byte = scratch[at++] ?? 0;
    const number = (byte >> 4) & 7;
    let size = byte & 15;
    for (let scale = 16; byte >= 0x80 && at < 10; scale *= 128) {
      byte = scratch[at++] ?? 0;
      size += (byte & 0x7f) * scale;
    }
    let base: number | undefined;
    if (number === offsetDelta) {
      byte = scratch[at++] ?? 0;
      let distance = byte & 0x7f;
      while (byte >= 0x80 && at < longestHead) {
        byte = scratch[at++] ?? 0;
        distance = (distance + 1) * 128 + (byte & 0x7f);
      }
      base = start - distance;
      if (distance === 0 || base < 0) throw new RepositoryUnreadable('A delta in a pack goes by nothing.');
    } else if (number === namedDelta) {
      base = this.#index.find(scratch.subarray(at, at + 20));
      at += 20;
    }
    return { number, size, base, length: at, read };
  }

  /** @param start where the entry begins of which `scratch` has the beginning */
  #inflate(object: Omit<PackableObject, 'deflated'>, start: number, { length, read }: EntryHead): Buffer {
    // What does not compress comes in stored blocks, a little longer than it is.
    const most = length + object.size + (object.size >>> 12) + (object.size >>> 14) + 32;
    const isCut = read === scratch.length && most > read;
    if (!isCut || object.size <= 2 * read) {
      try {
        return inflateObject({ ...object, deflated: scratch.subarray(length, Math.min(most, read)) });
      } catch (error) {
        if (!isCut) throw error;
      }
    }
    if (this.#file === null) throw new RepositoryUnreadable('A pack is closed.');
    const whole = Buffer.allocUnsafe(most);
    const all = readInto(this.#file, start, whole);
    return inflateObject({ ...object, deflated: whole.subarray(length, all) });
  }
}

/** @param deltas the one that gives the object first, then the one that gives what that goes by, and so on */
function build(type: ObjectType, base: Buffer, deltas: readonly Buffer[], largest: number): GitObject | null {
  let bytes = base;
  for (const delta of deltas.toReversed()) {
    const next = applyDelta(bytes, delta, largest);
    if (next === null) return null;
    bytes = next;
  }
  return { type, bytes };
}
