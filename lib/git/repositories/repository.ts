import type { Readable } from 'node:stream';
import type { GitObject, Oid, PackableObject } from '../objects/objects.js';
import type { AnnounceBlob, StagedBlob } from './stage-blob.js';

export { GitProgramMissing, ObjectNotFound, RepositoryUnreadable } from '../errors.js';
export type { StagedBlob } from './stage-blob.js';

/**
 * The objects and the main branch of one workspace: a bare git repository that
 * any git program can clone. There are three kinds (disk with the git program,
 * disk without it, memory); all keep this contract and run the same tests.
 *
 * Reads may come at any time and together. Writes never change an object: they
 * add packs, add or take away staged blobs, and move main. Whoever calls sees to
 * it that main moves only after the objects it needs were added.
 *
 * Reading throws `ObjectNotFound` for an object that is not there, and
 * `RepositoryUnreadable` when it cannot be told or given (damage, I/O errors):
 * never a wrong answer. Writing throws the file system's error, and then nothing
 * half-written is visible; the same call can be made again.
 *
 * Every method throws a TypeError for an oid that is not 40 hexadecimal digits.
 */
export interface Repository {
  /**
   * An object, whole, in memory. It sees packs as soon as they are added. For a
   * blob of many megabytes take `readStream`.
   */
  read(oid: Oid): Promise<GitObject>;

  /** Whether the object is there. */
  has(oid: Oid): Promise<boolean>;

  /** Bytes of the object's content. */
  size(oid: Oid): Promise<number>;

  /**
   * A blob's content as a stream that waits for its reader. A large blob takes
   * little memory where it is staged or the git program is there; without git, a
   * blob that stands in a pack is held whole. The stream fails with
   * `RepositoryUnreadable` where the content turns out to be damaged or short;
   * destroying it early frees what it holds.
   */
  readStream(oid: Oid): Promise<{ size: number; stream: Readable }>;

  /**
   * Adds objects as one pack. When it resolves they are on stable storage and
   * can be read. Nothing happens for no objects; objects that are there already
   * may come again.
   */
  addPack(objects: readonly PackableObject[]): Promise<void>;

  /** The commit that refs/heads/main stands at; null before the first. */
  head(): Promise<Oid | null>;

  /**
   * Moves refs/heads/main, durably, also where main sits in packed-refs. Moves
   * take place in the order of the calls.
   * @throws ObjectNotFound when the repository has no such object.
   */
  moveHead(to: Oid): Promise<void>;

  /**
   * Stores a blob by itself before anything refers to it, durably, holding only
   * pieces of it in memory. What the source throws passes through.
   * @param announce called when the content is whole and has its name, before
   * it shows under it, so that the caller can note it down first; what it throws
   * passes through, and nothing stays.
   */
  stageBlob(source: AsyncIterable<Uint8Array>, announce?: AnnounceBlob): Promise<StagedBlob>;

  /**
   * Takes a staged blob away again; nothing happens when it has no file of its
   * own (maintenance may have packed it). The same content can have been staged
   * or committed by somebody else meanwhile, and has one file: the caller makes
   * sure that nothing else refers to it.
   */
  dropStaged(oid: Oid): Promise<void>;

  /** Names of the packs that are there. */
  packs(): Promise<readonly string[]>;

  /** What the repository holds; `bytes` counts packs, indexes, loose objects. */
  stats(): Promise<RepositoryStats>;

  /**
   * Joins small packs so that their number stays in the order of the logarithm
   * of the objects', and packs loose objects (with the git program only). No
   * object is ever lost by it, referred to or not. Reads and writes go on.
   * @param keep staged blobs that are to keep a file of their own, so that
   * `dropStaged` can still take them away.
   * @param callOff ends it soon, where it is at what takes long, and nothing of
   * that stays.
   */
  maintain(keep?: readonly Oid[], callOff?: AbortSignal): Promise<MaintenanceReport>;

  /**
   * What is wrong with the repository, a sentence each; nothing when it is
   * sound: `git fsck --strict`, or without git a check of every object's hash
   * and form and of what it refers to.
   */
  fsck(): Promise<string[]>;

  /**
   * Names of the commits from the first one to `from`, along first parents; with
   * `after` only those behind that one.
   */
  history(from: Oid, after?: Oid | null): AsyncIterable<Oid>;

  /** Where it lies and how it is read, for another thread; null in memory. */
  readonly place: RepositoryPlace | null;

  /**
   * Removes for good what main and `also` do not lead to: packs that hold such
   * objects are written anew without them. Meanwhile no maintenance runs.
   * `roots` names the packs that are looked through: whatever of them is needed
   * has to be reachable from what else it names. `onCopied` is called when what
   * stays is durable twice.
   * @returns objects with files of their own that nothing leads to: they are left.
   * @throws RepositoryUnreadable when something holds on to what is to go.
   */
  sweep(options: SweepOptions): Promise<readonly Oid[]>;

  /**
   * Resolves when no process and no stream holds a file open that was removed
   * before the call. Streams that still do after a while are ended.
   */
  letGo(options: LetGoOptions): Promise<void>;

  /**
   * Writes the history of a commit, main's or an older one, into a new file that
   * `git clone` takes. Durable when it resolves.
   * @throws GitProgramMissing without the git program.
   */
  bundle(head: Oid, file: string): Promise<void>;

  /** Ends child processes and streams. Nothing else may be called afterwards. */
  close(): Promise<void>;
}

/** A repository on disk, as another thread opens it. */
export interface RepositoryPlace {
  readonly path: string;
  readonly git: 'auto' | 'never';
}

export interface LetGoOptions {
  /** Milliseconds after which streams are ended. */
  readonly within: number;
  /** What those who read them are told. */
  readonly reason: Error;
}

export interface SweepOptions {
  /** The commit that stays, and further objects that do; asked for once no other packing runs. */
  readonly roots: () => Promise<{
    readonly packs: readonly string[];
    readonly head: Oid;
    readonly also: readonly Oid[];
  }>;
  readonly onCopied: () => void | Promise<void>;
  /** Stops it at its next step. */
  readonly signal?: AbortSignal;
}

export interface RepositoryStats {
  packs: number;
  looseObjects: number;
  bytes: number;
}

/** What maintenance did. */
export interface MaintenanceReport {
  before: RepositoryStats;
  after: RepositoryStats;
  /** What was left out and why, for an operator to read; null for nothing. */
  missing: string | null;
  /** It was called off before it had joined anything. */
  isCalledOff?: boolean;
}
