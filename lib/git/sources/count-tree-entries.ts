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

/** Folders of one folder, by their object: how many entries lead there, and the bytes of the longest name. */
type Folders = Map<Oid, { times: number; nameBytes: number }>;

/** The entries of one folder. */
interface Survey {
  /** More than the bound where it stopped there. */
  readonly entries: number;
  /** Bytes of the longest name. */
  readonly longest: number;
  readonly folders: Folders;
}

/** What two folders do not have in common; all below `folders` counts, too. */
interface Comparison extends Survey {
  /** Folders that are in both of them, and differ. */
  readonly pairs: readonly { readonly before: Oid; readonly after: Oid; readonly nameBytes: number }[];
}

/**
 * Counts the entries below folders of a repository without walking it: a folder with many places is read once. Ten
 * folders, each with ten names for the next one, are some hundred bytes. git lists ten thousand million files for them.
 *
 * A folder's entries are left before the folders in it are entered: memory holds the names of two folders, however deep
 * the others lie.
 */
export class EntryCount {
  readonly #read: (tree: Oid) => Promise<Buffer | undefined>;
  readonly #most: number;
  readonly #extents = new Map<Oid, Extent>();
  readonly #listings = new Map<Oid, Buffer>();
  #kept = 0;

  /**
   * @param read a tree's bytes; undefined where it is lost. A lost tree stops every walk, and is not counted here. It
   * bounds the size of a tree
   * @param most of one call. A count up to there is exact, however large the folders are; beyond it may stop anywhere
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
   * @returns any number above the bound where there are more
   * @throws RepositoryUnreadable as `below` does
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
    const own = await runCooperatively(surveyFolder(await this.#list(tree), this.#most));
    let { entries, longest } = own;
    let depth = 0;
    for (const [oid, { times, nameBytes }] of own.folders) {
      if (entries > this.#most) break;
      const below = await this.#measure(oid, level + 1, prefix + nameBytes + 1);
      entries += times * below.entries;
      depth = Math.max(depth, below.depth + 1);
      longest = Math.max(longest, nameBytes + 1 + below.longest);
    }
    return { entries, depth, longest };
  }

  async #compare(before: Oid, after: Oid, level: number, prefix: number): Promise<number> {
    if (before === after) return 0;
    requireShort(level, prefix);
    const [old, now] = [await this.#list(before), await this.#list(after)];
    const own = await runCooperatively(compareFolders(old, now, this.#most));
    requireShort(level, prefix + own.longest);
    let changed = own.entries;
    for (const [oid, { times, nameBytes }] of own.folders) {
      if (changed > this.#most) return changed;
      changed += times * (await this.#measure(oid, level + 1, prefix + nameBytes + 1)).entries;
    }
    for (const pair of own.pairs) {
      if (changed > this.#most) return changed;
      changed += await this.#compare(pair.before, pair.after, level + 1, prefix + pair.nameBytes + 1);
    }
    return changed;
  }

  async #list(tree: Oid): Promise<Buffer> {
    let bytes = this.#listings.get(tree);
    if (bytes === undefined) {
      bytes = (await this.#read(tree)) ?? Buffer.alloc(0);
      this.#keep(tree, bytes);
    }
    return bytes;
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

interface Entry {
  readonly name: string;
  readonly mode: string;
  readonly isFolder: boolean;
  readonly nameBytes: number;
  readonly oid: Oid;
}

/**
 * The entries of a tree from any program, up to the first malformed one. Their order and names are arbitrary. git
 * reports the faults.
 */
function* readEntries(bytes: Buffer): Generator<Entry> {
  for (let start = 0; start < bytes.length;) {
    const space = bytes.indexOf(0x20, start);
    const end = space < 0 ? -1 : bytes.indexOf(0, space);
    if (end < 0 || end + 21 > bytes.length) return;
    yield {
      name: bytes.toString('latin1', space + 1, end),
      mode: bytes.toString('latin1', start, Math.min(space, start + maxModeLength)),
      isFolder: isFolderAt(bytes, start),
      nameBytes: end - space - 1,
      oid: bytes.toString('hex', end + 1, end + 21),
    };
    start = end + 21;
  }
}

function addFolder(folders: Folders, { oid, nameBytes }: Entry): void {
  const known = folders.get(oid);
  if (known === undefined) folders.set(oid, { times: 1, nameBytes });
  else {
    known.times += 1;
    known.nameBytes = Math.max(known.nameBytes, nameBytes);
  }
}

/** @param most where to stop: one more is read */
function* surveyFolder(bytes: Buffer, most: number): Generator<void, Survey> {
  const folders: Folders = new Map();
  let [entries, longest] = [0, 0];
  for (const entry of readEntries(bytes)) {
    entries += 1;
    longest = Math.max(longest, entry.nameBytes);
    if (entries > most) break;
    if (entry.isFolder) addFolder(folders, entry);
    if (entries % restsAfter === 0) yield;
  }
  return { entries, longest, folders };
}

/** @param most changes at which to stop. Both folders are read to their ends before that: a cut one would differ */
function* compareFolders(before: Buffer, after: Buffer, most: number): Generator<void, Comparison> {
  const left = new Map<string, Entry>();
  let read = 0;
  for (const entry of readEntries(before)) {
    read += 1;
    // Twice the same name is two entries to git.
    left.set(left.has(entry.name) ? `${entry.name}\0${read}` : entry.name, entry);
    if (read % restsAfter === 0) yield;
  }
  const folders: Folders = new Map();
  const pairs: Comparison['pairs'][number][] = [];
  let [entries, longest] = [0, 0];
  const count = (entry: Entry): void => {
    entries += 1;
    longest = Math.max(longest, entry.nameBytes);
    if (entry.isFolder) addFolder(folders, entry);
  };
  for (const entry of readEntries(after)) {
    if (entries > most) break;
    read += 1;
    if (read % restsAfter === 0) yield;
    const was = left.get(entry.name);
    left.delete(entry.name);
    if (was?.oid === entry.oid && was.mode === entry.mode) continue;
    if (was?.isFolder === true && entry.isFolder) {
      entries += 1;
      pairs.push({ before: was.oid, after: entry.oid, nameBytes: entry.nameBytes });
    } else {
      count(entry);
      if (was !== undefined) count(was);
    }
  }
  for (const entry of left.values()) {
    if (entries > most) break;
    count(entry);
    if (entries % restsAfter === 0) yield;
  }
  return { entries, longest, folders, pairs };
}
