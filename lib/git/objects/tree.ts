import { RepositoryUnreadable } from '../errors.js';
import { encodeReplacement, putStored, storedOverhead, type Replacement } from './delta.js';
import { hashObject, makePackable } from './objects.js';
import type { Oid, PackableObject } from './objects.js';
import { compareKeys, encodeEntry, encodeName, isFolderAt, modeAt, scanEntries } from './tree-bytes.js';
import type { TreeMode } from './tree-bytes.js';

export type { TreeMode } from './tree-bytes.js';

/** The object behind a name in a folder. */
export interface TreeEntry {
  mode: TreeMode;
  oid: Oid;
}

interface Insertion {
  at: number;
  name: Buffer;
  isFolder: boolean;
  entry: TreeEntry;
}

/** How a tree came out of another one by the change of one entry. */
interface TreeChange extends Replacement {
  readonly base: Oid;
  readonly baseLength: number;
}

/** Trees of more bytes than this are stored in packs without compression. */
const widestDeflatedTree = 32 * 1024;

/**
 * One folder's listing, immutable. It keeps git's serialized form and an index of the start of each entry. Replacing an
 * entry is therefore a copy of the bytes with 20 of them changed, whatever the folder's width.
 */
export class Tree {
  static readonly empty = new Tree(Buffer.alloc(0), new Uint32Array(1));

  /** git's serialized form: the bytes that are hashed and stored. Not to be changed. */
  readonly bytes: Buffer;
  /** Start of each entry, and the length of `bytes` at the end. */
  readonly #starts: Uint32Array;
  #oid: Oid | undefined;
  /** Undefined where it was read, or more than one entry was changed. */
  readonly change: TreeChange | undefined;

  private constructor(bytes: Buffer, starts: Uint32Array, change?: TreeChange) {
    this.bytes = bytes;
    this.#starts = starts;
    this.change = change;
  }

  /**
   * Reads a tree object's bytes, which must not be changed afterwards.
   * @throws RepositoryUnreadable when they are no tree, or out of git's order (a look-up in them could miss an entry).
   */
  static parse(bytes: Buffer): Tree {
    if (bytes.length === 0) return Tree.empty;
    const starts = scanEntries(bytes);
    if (starts === undefined) throw new RepositoryUnreadable('An object is no well-formed tree.');
    return new Tree(bytes, starts);
  }

  /** Number of entries. */
  get size(): number {
    return this.#starts.length - 1;
  }

  /** The tree's name, computed at its first use. */
  get oid(): Oid {
    return (this.#oid ??= hashObject('tree', this.bytes));
  }

  /** The entry of `name`, or undefined. */
  entry(name: string): TreeEntry | undefined {
    const key = encodeName(name);
    let index = this.#find(key, false);
    if (index < 0) index = this.#find(key, true);
    return index < 0 ? undefined : this.#entryAt(index);
  }

  /** Every entry, in git's order. */
  *entries(): IterableIterator<TreeEntry & { name: string }> {
    for (let index = 0; index < this.size; index++) {
      const start = this.#start(index);
      const nameStart = this.bytes.indexOf(0x20, start) + 1;
      const nameEnd = this.#start(index + 1) - 21;
      const name = this.bytes.toString('utf8', nameStart, nameEnd);
      yield { name, ...this.#entryAt(index) };
    }
  }

  /** This tree with `name` standing for `oid`, added or replaced. */
  with(name: string, mode: TreeMode, oid: Oid): Tree {
    const index = this.#find(encodeName(name), mode === '40000');
    if (index < 0) return this.withAll([[name, { mode, oid }]]);
    return this.#patched([{ index, entry: { mode, oid } }]);
  }

  /** This tree without `name`; the same tree when there is none. */
  without(name: string): Tree {
    return this.withAll([[name, null]]);
  }

  /**
   * This tree with many names set, or removed (null), in one pass over the bytes. The last of two changes of one name
   * counts.
   */
  withAll(changes: Iterable<readonly [string, TreeEntry | null]>): Tree {
    const removals: number[] = [];
    const insertions: Insertion[] = [];
    const replacements: { index: number; entry: TreeEntry }[] = [];
    for (const [text, entry] of new Map(changes)) {
      const name = encodeName(text);
      const isFolder = entry?.mode === '40000';
      const same = this.#find(name, isFolder);
      const other = this.#find(name, !isFolder);
      if (other >= 0) removals.push(other);
      if (entry === null) {
        if (same >= 0) removals.push(same);
      } else if (same >= 0) replacements.push({ index: same, entry });
      else insertions.push({ at: ~same, name, isFolder, entry });
    }
    if (removals.length + insertions.length === 0) return this.#patched(replacements);
    return this.#patched(replacements).#spliced(removals, insertions);
  }

  #start(index: number): number {
    return this.#starts[index]!;
  }

  #entryAt(index: number): TreeEntry {
    const end = this.#start(index + 1);
    return {
      mode: modeAt(this.bytes, this.#start(index)),
      oid: this.bytes.toString('hex', end - 20, end),
    };
  }

  /**
   * Index of the entry of this name and kind, or `~index` of its place. A file and a folder of one name have different
   * places, since git orders a folder as if its name ended in `/`. So callers search for both kinds.
   */
  #find(name: Buffer, isFolder: boolean): number {
    const { bytes } = this;
    let low = 0;
    let high = this.size - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const start = this.#start(middle);
      const nameStart = bytes[start + 5] === 0x20 ? start + 6 : start + 7;
      const order = compareKeys(
        bytes,
        nameStart,
        this.#start(middle + 1) - 21,
        isFolderAt(bytes, start),
        name,
        0,
        name.length,
        isFolder,
      );
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return ~low;
  }

  /** Entries replaced by others of the same kind: no byte moves. */
  #patched(replacements: readonly { index: number; entry: TreeEntry }[]): Tree {
    if (replacements.length === 0) return this;
    const bytes = Buffer.allocUnsafeSlow(this.bytes.length);
    this.bytes.copy(bytes);
    for (const { index, entry } of replacements) {
      const start = this.#start(index);
      // Both kinds of mode keep their length, except a folder that some old tools wrote as "040000": its mode is right
      // as it stands.
      if (entry.mode !== '40000') bytes.write(entry.mode, start, 'latin1');
      writeOid(bytes, entry.oid, this.#start(index + 1) - 20);
    }
    const [only, more] = replacements;
    if (only === undefined || more !== undefined) return new Tree(bytes, this.#starts);
    const end = this.#start(only.index + 1);
    return new Tree(bytes, this.#starts, this.#changed(this.#start(only.index), end, end));
  }

  /** The change of one entry; undefined where this tree's name is not known, because then nobody has stored it. */
  #changed(start: number, baseEnd: number, targetEnd: number): TreeChange | undefined {
    if (this.#oid === undefined) return undefined;
    return { base: this.#oid, baseLength: this.bytes.length, start, baseEnd, targetEnd };
  }

  /** Entries taken out and put in, by indices of this tree, in one pass. */
  #spliced(removals: number[], insertions: Insertion[]): Tree {
    if (removals.length === 0 && insertions.length === 0) return this;
    removals.sort((a, b) => a - b);
    insertions.sort(byKey);
    const added = insertions.map(({ name, entry }) => encodeEntry(entry.mode, name));
    let length = this.bytes.length;
    for (const part of added) length += part.length + 20;
    for (const index of removals) length -= this.#start(index + 1) - this.#start(index);
    const size = this.size - removals.length + insertions.length;
    if (size === 0) return Tree.empty;

    const bytes = Buffer.allocUnsafeSlow(length);
    const starts = new Uint32Array(size + 1);
    let position = 0; // in bytes
    let count = 0; // entries written
    let next = 0; // entry of this tree that is to be copied next
    const copyUntil = (index: number): void => {
      const from = this.#start(next);
      const to = this.#start(index);
      for (let i = next; i < index; i++) starts[count++] = position + this.#start(i) - from;
      this.bytes.copy(bytes, position, from, to);
      position += to - from;
      next = index;
    };
    let removal = 0;
    for (const [i, { at, entry }] of insertions.entries()) {
      while (removal < removals.length && removals[removal]! < at) {
        copyUntil(removals[removal++]!);
        next++;
      }
      copyUntil(at);
      starts[count++] = position;
      position += added[i]!.copy(bytes, position);
      writeOid(bytes, entry.oid, position);
      position += 20;
    }
    while (removal < removals.length) {
      copyUntil(removals[removal++]!);
      next++;
    }
    copyUntil(this.size);
    starts[count] = position;
    if (removals.length + insertions.length > 1) return new Tree(bytes, starts);
    const [removed] = removals;
    const start = this.#start(removed ?? insertions[0]!.at);
    const baseEnd = removed === undefined ? start : this.#start(removed + 1);
    return new Tree(bytes, starts, this.#changed(start, baseEnd, baseEnd + length - this.bytes.length));
  }
}

/**
 * The zlib level for packing a tree. Deflating a wide listing (half of it random bytes) on each write costs more than
 * all the rest of the write. Such trees are stored uncompressed until a repack makes deltas of them.
 */
export function treeLevel(tree: Tree): number {
  return tree.bytes.length > widestDeflatedTree ? 0 : 1;
}

/** Trees of up to this many bytes are hardly shorter when they are compressed. */
const shortest = 256;

/** A tree ready for a pack: `makePackable` without hashing the tree a second time. */
export function packTree(tree: Tree): PackableObject {
  const { bytes, oid } = tree;
  if (bytes.length > shortest) return makePackable('tree', bytes, treeLevel(tree), oid);
  return { oid, type: 'tree', size: bytes.length, deflated: store(bytes) };
}

/** Longest delta of a tree: the change of one entry with a name of 255 bytes, in a folder of any width up to 2 GB. */
const longestDelta = 16 * 1024;
const delta = new Uint8Array(longestDelta);

/**
 * A tree as a delta against the one that it was made from. Its cost does not grow with the folder's width.
 * @returns undefined where more than one entry was changed, or a delta would save less than half of the bytes
 */
export function packTreeAsDelta(tree: Tree): (PackableObject & { readonly base: Oid }) | undefined {
  const { change } = tree;
  if (change === undefined) return undefined;
  const size = encodeReplacement(change.baseLength, tree.bytes, change, delta);
  if (size === undefined) return undefined;
  return { oid: tree.oid, type: 'tree', size, deflated: store(delta.subarray(0, size)), base: change.base };
}

/** A zlib stream of the bytes as they are. */
function store(bytes: Uint8Array): Buffer {
  const stream = Buffer.allocUnsafeSlow(bytes.length + storedOverhead);
  putStored(stream, 0, bytes);
  return stream;
}

function byKey(a: Insertion, b: Insertion): number {
  return compareKeys(a.name, 0, a.name.length, a.isFolder, b.name, 0, b.name.length, b.isFolder);
}

function writeOid(bytes: Buffer, oid: Oid, position: number): void {
  if (oid.length !== 40 || bytes.write(oid, position, 20, 'hex') !== 20)
    throw new TypeError(`Not an object's name: ${oid}`);
}
