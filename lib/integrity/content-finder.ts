import { createHash } from 'node:crypto';
import { joinLocation, keepName, segmentsOf, type Location } from '../domain/location.js';
import type { Oid } from '../git/objects/objects.js';
import type { ReadableRepository } from '../git/repositories/open-read-only.js';
import { Tree, type TreeEntry } from '../git/objects/tree.js';
import { unreadableContent } from '../sidecar/compare-content.js';
import { makeObjectCache } from '../journal/object-cache.js';
import { stagedFrom } from '../changes/prepare-content.js';
import { Rests } from '../scheduling/rests.js';
import { InvalidEvent } from '../history/event.js';
import type { FoundContent } from '../history/projection.js';
import { declaredCharset, judge, TextCheck, type Charset } from '../text/charset.js';

/** The source of trees and blobs. */
type ContentSource = Pick<ReadableRepository, 'read' | 'size' | 'readStream'>;

/** A file of a tree. */
export interface FoundFile {
  readonly location: Location;
  readonly oid: Oid;
}

/** The files in which one tree differs from another. */
export interface TreeDifference {
  /** Of the second tree. `isNew`: the first has nothing there. */
  readonly put: (FoundFile & { readonly isNew: boolean })[];
  /** Only in the first tree. */
  readonly removed: Location[];
}

const treeCacheBytes = 64 * 1024 * 1024;
const maxRemembered = 100_000;

/** Looks into the trees and blobs of a history. A bounded cache keeps their contents. */
export class ContentFinder {
  readonly #repository: ContentSource;
  readonly #onUnreadable: ((oid: Oid, error: unknown) => void) | undefined;
  readonly #trees = makeObjectCache<Tree>(treeCacheBytes);
  readonly #reading = new Map<Oid, Promise<Tree>>();
  /** By the name of the blob, and the charset that is declared for it. */
  readonly #contents = new Map<string, Promise<FoundContent>>();
  readonly #rests = new Rests();

  /**
   * @param onUnreadable receives each blob that cannot be read, and its description becomes `unreadableContent`; left
   * out, the read error passes through
   */
  constructor(repository: ContentSource, onUnreadable?: (oid: Oid, error: unknown) => void) {
    this.#repository = repository;
    this.#onUnreadable = onUnreadable;
  }

  /**
   * The content that a tree has at a location.
   * @param mediaType of the version @throws InvalidEvent when it has none
   */
  async at(root: Oid, location: Location, mediaType: string): Promise<FoundContent> {
    let entry: TreeEntry | undefined = { mode: '40000', oid: root };
    for (const segment of segmentsOf(location)) {
      entry = entry?.mode === '40000' ? (await this.#tree(entry.oid)).entry(segment) : undefined;
    }
    if (entry === undefined || entry.mode === '40000') throw new InvalidEvent(`its tree has no file at "${location}"`);
    return this.describe(entry.oid, mediaType);
  }

  /** The oid of the file there; undefined for none. */
  async find(root: Oid | null, location: Location): Promise<Oid | undefined> {
    let entry: TreeEntry | undefined = root === null ? undefined : { mode: '40000', oid: root };
    for (const segment of segmentsOf(location)) {
      entry = entry?.mode === '40000' ? (await this.#tree(entry.oid)).entry(segment) : undefined;
    }
    return entry === undefined || entry.mode === '40000' ? undefined : entry.oid;
  }

  /** Files in the second tree and not in the first, in the order of the tree. Equal folders are not opened. */
  async added(before: Oid | null, after: Oid): Promise<FoundFile[]> {
    const { put } = await this.changed(before, after);
    return put.filter(({ isNew }) => isNew);
  }

  /** The files in which the trees differ, in the order of the tree. Equal folders are not opened. */
  async changed(before: Oid | null, after: Oid): Promise<TreeDifference> {
    const difference: TreeDifference = { put: [], removed: [] };
    await this.#compare(before, after, '' as Location, difference);
    return difference;
  }

  /** Reads a blob for its SHA-256, size and kind. @param mediaType of the version */
  describe(oid: Oid, mediaType: string): Promise<FoundContent> {
    const declared = declaredCharset(mediaType);
    const name = declared === undefined ? oid : `${oid} ${declared}`;
    const known = this.#contents.get(name);
    if (known !== undefined) return known;
    if (this.#contents.size >= maxRemembered) this.#contents.clear();
    const described =
      this.#onUnreadable === undefined
        ? this.#read(oid, declared)
        : this.#readOrTell(oid, declared, this.#onUnreadable);
    this.#contents.set(name, described);
    return described;
  }

  async #readOrTell(
    oid: Oid,
    declared: Charset | undefined,
    onUnreadable: (oid: Oid, error: unknown) => void,
  ): Promise<FoundContent> {
    try {
      return await this.#read(oid, declared);
    } catch (error) {
      onUnreadable(oid, error);
      return { blobOid: oid, sha256: unreadableContent, size: 0, kind: 'binary' };
    }
  }

  async #read(oid: Oid, declared: Charset | undefined): Promise<FoundContent> {
    const size = await this.#repository.size(oid);
    const hash = createHash('sha256');
    const text = new TextCheck(declared);
    const pieces: AsyncIterable<Buffer> | Buffer[] =
      size > stagedFrom
        ? ((await this.#repository.readStream(oid)).stream as AsyncIterable<Buffer>)
        : [(await this.#repository.read(oid)).bytes];
    for await (const piece of pieces) {
      hash.update(piece);
      text.update(piece);
    }
    return { blobOid: oid, sha256: hash.digest('hex'), size, ...judge(text, declared) };
  }

  async #compare(before: Oid | null, after: Oid | null, folder: Location, found: TreeDifference): Promise<void> {
    if (before === after) return;
    const old = before === null ? Tree.empty : await this.#tree(before);
    const now = after === null ? Tree.empty : await this.#tree(after);
    for (const { name, mode, oid } of now.entries()) {
      if (this.#rests.isDue) await this.#rests.take();
      const was = old.entry(name);
      if (was?.oid === oid && was.mode === mode) continue;
      const location = joinLocation(folder, name);
      const folderBefore = was?.mode === '40000' ? was.oid : null;
      if (mode === '40000') await this.#compare(folderBefore, oid, location, found);
      else if (name !== keepName) found.put.push({ location, oid, isNew: was === undefined });
      if (mode !== '40000' && folderBefore !== null) await this.#compare(folderBefore, null, location, found);
      else if (mode === '40000' && was !== undefined && folderBefore === null) found.removed.push(location);
    }
    for (const { name, mode, oid } of old.entries()) {
      if (this.#rests.isDue) await this.#rests.take();
      if (now.entry(name) !== undefined) continue;
      const location = joinLocation(folder, name);
      if (mode === '40000') await this.#compare(oid, null, location, found);
      else if (name !== keepName) found.removed.push(location);
    }
  }

  async #tree(oid: Oid): Promise<Tree> {
    if (oid === Tree.empty.oid) return Tree.empty;
    const known = this.#trees.get(oid);
    if (known !== undefined) return known;
    let reading = this.#reading.get(oid);
    if (reading === undefined) {
      reading = this.#repository.read(oid).then(({ bytes }) => {
        const tree = Tree.parse(bytes);
        this.#trees.set(oid, tree);
        return tree;
      });
      this.#reading.set(oid, reading);
      void reading.finally(() => this.#reading.delete(oid)).catch(() => undefined);
    }
    return reading;
  }
}
