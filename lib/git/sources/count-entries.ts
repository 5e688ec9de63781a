import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { RepositoryUnreadable } from '../errors.js';
import type { Oid } from '../objects/objects.js';
import { isFolderAt } from '../objects/tree-bytes.js';

/** Depth to which nested folders are followed. No location is as deep (`maxLocationLength`). */
const deepest = 1000;
/** Bytes of a path. No file system takes as many. */
const maxPathLength = 16 * 1024;
/** Folders whose count is remembered. */
const maxRemembered = 100_000;
/** Bytes of listings in the cache: a commit shares all but a few folders with the one before it. */
const keptBytes = 64 * 1024 * 1024;

/** The size of everything below a folder. */
interface Extent {
  /** Files and folders, each as often as it stands there. */
  readonly entries: number;
  /** Folders within folders. */
  readonly depth: number;
  /** Bytes of the longest path. */
  readonly longest: number;
}

interface Entry {
  readonly mode: string;
  readonly isFolder: boolean;
  readonly nameBytes: number;
  readonly oid: Oid;
}

/**
 * Counts the entries below folders of a repository without walking it: a folder with many places is read once. Ten
 * folders, each with ten names for the next one, are some hundred bytes. git lists ten thousand million files for them.
 */
export class EntryCount {
  readonly #read: (tree: Oid) => Promise<Buffer | undefined>;
  readonly #most: number;
  readonly #extents = new Map<Oid, Extent>();
  readonly #listings = new Map<Oid, Buffer>();
  #kept = 0;

  /**
   * @param read a tree's bytes; undefined where it is lost. A lost tree stops every walk, and is not counted here
   * @param most where a count may stop: beyond it, it need not be exact
   */
  constructor(read: (tree: Oid) => Promise<Buffer | undefined>, most: number) {
    this.#read = read;
    this.#most = most;
  }

  /**
   * The number of files and folders below a tree.
   * @returns any number above the bound where there are more
   * @throws RepositoryUnreadable when a path is too long, or leads through too many folders
   */
  async below(tree: Oid): Promise<number> {
    return (await this.#measure(tree, 0, 0)).entries;
  }

  /**
   * The number of files and folders that a comparison of two trees visits: all added, removed or replaced entries, with
   * everything below them.
   * @param before null for nothing
   */
  async changed(before: Oid | null, after: Oid): Promise<number> {
    return before === null ? this.below(after) : this.#compare(before, after, 0, 0);
  }

  async #measure(tree: Oid, level: number, prefix: number): Promise<Extent> {
    let extent = this.#extents.get(tree);
    if (extent === undefined) {
      requireShort(level, prefix);
      extent = await this.#readExtent(tree, level, prefix);
      this.#remember(tree, extent);
    }
    requireShort(level + extent.depth, prefix + extent.longest);
    return extent;
  }

  async #readExtent(tree: Oid, level: number, prefix: number): Promise<Extent> {
    let [entries, depth, longest] = [0, 0, 0];
    for (const { isFolder, nameBytes, oid } of (await this.#list(tree)).values()) {
      entries += 1;
      longest = Math.max(longest, nameBytes);
      if (entries > this.#most) break;
      if (!isFolder) continue;
      const below = await this.#measure(oid, level + 1, prefix + nameBytes + 1);
      entries += below.entries;
      depth = Math.max(depth, below.depth + 1);
      longest = Math.max(longest, nameBytes + 1 + below.longest);
    }
    return { entries, depth, longest };
  }

  async #compare(before: Oid, after: Oid, level: number, prefix: number): Promise<number> {
    if (before === after) return 0;
    requireShort(level, prefix);
    const [old, now] = [await this.#list(before), await this.#list(after)];
    let changed = 0;
    const count = async ({ isFolder, nameBytes, oid }: Entry): Promise<void> => {
      changed += 1;
      requireShort(level, prefix + nameBytes);
      if (isFolder) changed += (await this.#measure(oid, level + 1, prefix + nameBytes + 1)).entries;
    };
    for (const [key, entry] of now) {
      if (changed > this.#most) return changed;
      const was = old.get(key);
      if (was?.oid === entry.oid && was.mode === entry.mode) continue;
      if (was?.isFolder === true && entry.isFolder) {
        changed += 1 + (await this.#compare(was.oid, entry.oid, level + 1, prefix + entry.nameBytes + 1));
      } else {
        await count(entry);
        if (was !== undefined) await count(was);
      }
    }
    for (const [key, entry] of old) {
      if (changed > this.#most) return changed;
      if (!now.has(key)) await count(entry);
    }
    return changed;
  }

  /** The entries of a tree by their names. */
  async #list(tree: Oid): Promise<Map<string, Entry>> {
    let bytes = this.#listings.get(tree);
    if (bytes === undefined) {
      bytes = (await this.#read(tree)) ?? Buffer.alloc(0);
      this.#keep(tree, bytes);
    }
    return runCooperatively(readEntries(bytes, this.#most));
  }

  #keep(tree: Oid, bytes: Buffer): void {
    this.#listings.set(tree, bytes);
    this.#kept += bytes.length;
    for (const [oldest, { length }] of this.#listings) {
      if (this.#kept <= keptBytes) return;
      this.#listings.delete(oldest);
      this.#kept -= length;
    }
  }

  #remember(tree: Oid, extent: Extent): void {
    this.#extents.set(tree, extent);
    if (this.#extents.size <= maxRemembered) return;
    const [oldest] = this.#extents.keys();
    if (oldest !== undefined) this.#extents.delete(oldest);
  }
}

/** A path is too long, or leads through too many folders. */
export class TooDeep extends RepositoryUnreadable {}

function requireShort(level: number, pathBytes: number): void {
  if (level > deepest) {
    throw new TooDeep(`Folders lie within folders more than ${deepest} deep, and no more are read.`);
  }
  if (pathBytes > maxPathLength) {
    throw new TooDeep(`A path has more than ${maxPathLength} bytes, and no more are read.`);
  }
}

const restsAfter = 1000;
/** Digits; git writes six. */
const maxModeLength = 8;

/**
 * The entries of a tree from any program, up to the first malformed one. Their order and names are arbitrary. git
 * reports the faults.
 * @param most where to stop: one more is read
 */
function* readEntries(bytes: Buffer, most: number): Generator<void, Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for (let start = 0; start < bytes.length && entries.size <= most;) {
    const space = bytes.indexOf(0x20, start);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    if (end < 0 || end + 21 > bytes.length) break;
    // Twice the same name is two entries to git.
    const name = bytes.toString('latin1', space + 1, end);
    const key = entries.has(name) ? `${name}\0${start}` : name;
    const oid = bytes.toString('hex', end + 1, end + 21);
    const mode = bytes.toString('latin1', start, Math.min(space, start + maxModeLength));
    entries.set(key, { mode, isFolder: isFolderAt(bytes, start), nameBytes: end - space - 1, oid });
    start = end + 21;
    if (entries.size % restsAfter === 0) yield;
  }
  return entries;
}
