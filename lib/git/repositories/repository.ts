import type { Readable } from 'node:stream';
import type { GitObject, Oid, PackableObject } from '../objects/objects.js';
import type { OidSet } from '../objects/oid-set.js';
import type { AnnounceBlob, StagedBlob } from './stage-blob.js';

export { GitProgramMissing, ObjectNotFound, RepositoryUnreadable } from '../errors.js';
export type { OidSet } from '../objects/oid-set.js';
export type { StagedBlob } from './stage-blob.js';

/**
 * The objects and the main branch of one workspace: a bare git repository that any git program can clone. There are
 * three kinds (disk with the git program, disk without it, memory); all keep this contract and run the same tests.
 *
 * Reads may come at any time and together. Writes never change an object: they add packs, add or remove staged blobs,
 * and move main. The caller makes sure that main moves only after its objects were added.
 *
 * A read throws `ObjectNotFound` for an absent object, and `RepositoryUnreadable` when it cannot answer (damage, I/O
 * errors): it never gives a wrong answer. A write throws the file system's error, and then nothing half-written is
 * visible; the same call can be repeated.
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
   * A blob's content as a stream that waits for its reader. A large blob takes little memory where it is staged or the
   * git program exists. Without git, a blob in a pack is held whole. The stream fails with `RepositoryUnreadable` where
   * the content is damaged or short; destroying it early frees its resources.
   */
  readStream(oid: Oid): Promise<{ size: number; stream: Readable }>;

  /**
   * Adds objects as one pack. When it resolves they are on stable storage and can be read. Without objects it does
   * nothing; existing objects may come again.
   */
  addPack(objects: readonly PackableObject[]): Promise<void>;

  /** Writes objects as packs of their own, which nobody sees. Opening the repository removes those that are left. */
  holdPack(objects: readonly PackableObject[]): Promise<readonly HeldPack[]>;

  /** The name that a held pack gets if it is shown now. It is none of those that a sweep under way may remove. */
  nameOf(pack: HeldPack): string;

  /**
   * Makes a held pack part of the repository. When it resolves it is on stable storage and can be read.
   * @param name from `nameOf`
   */
  showHeld(pack: HeldPack, name: string): Promise<void>;

  /** Removes a held pack. Does nothing for one that was shown. */
  dropHeld(pack: HeldPack): Promise<void>;

  /** The objects of a pack; undefined when it is not there any more, because it was joined with others. */
  objectsOf(pack: string): Promise<OidSet | undefined>;

  /**
   * Removes a pack. The caller makes sure that nothing refers to an object in it, and that nobody joins packs meanwhile.
   */
  dropPack(name: string): Promise<void>;

  /** The commit of refs/heads/main; null before the first. */
  head(): Promise<Oid | null>;

  /**
   * Moves refs/heads/main, durably, also where main sits in packed-refs. Moves
   * take place in the order of the calls.
   * @throws ObjectNotFound when the repository has no such object.
   */
  moveHead(to: Oid): Promise<void>;

  /**
   * Stores a blob by itself before anything refers to it, durably, holding only pieces of it in memory. Errors of the
   * source pass through.
   * @param announce called when the content is whole and has its name, before it is visible under it, so that the
   * caller can record it first; its errors pass through, and nothing stays.
   */
  stageBlob(source: AsyncIterable<Uint8Array>, announce?: AnnounceBlob): Promise<StagedBlob>;

  /**
   * Removes a staged blob; does nothing when it has no file of its own (maintenance may have packed it). Another caller
   * may have staged or committed the same content meanwhile, in the same file. The caller makes sure that nothing else
   * refers to it.
   */
  dropStaged(oid: Oid): Promise<void>;

  /** Names of the existing packs. */
  packs(): Promise<readonly string[]>;

  /** The size of the repository; `bytes` counts packs, indexes, loose objects. */
  stats(): Promise<RepositoryStats>;

  /**
   * Joins small packs so that their number stays in the order of the logarithm of the objects', and packs loose objects
   * (with the git program only). It never loses an object, reachable or not. Reads and writes go on.
   * @param isKept whether a blob is staged at the moment: it keeps a file of its own, so that `dropStaged` can still
   * remove it. It is asked for every object with a file of its own, so it takes no time.
   * @param callOff ends it soon, during its long steps, and nothing of them stays.
   */
  maintain(isKept?: (oid: Oid) => boolean, callOff?: AbortSignal): Promise<MaintenanceReport>;

  /**
   * The faults of the repository, a sentence each; nothing when it is sound. It runs `git fsck --strict`, or without
   * git a check of every object's hash, form and references.
   */
  fsck(): Promise<string[]>;

  /** Names of the commits from the first one to `from`, along first parents; with `after` only the later ones. */
  history(from: Oid, after?: Oid | null): AsyncIterable<Oid>;

  /** Its path and its way of reading, for another thread; null in memory. */
  readonly place: RepositoryPlace | null;

  /** Whether added packs may hold deltas. Without the git program they are joined entry by entry, and cannot be then. */
  readonly takesDeltas: boolean;

  /**
   * Removes all objects for good that `roots` do not reach: packs with such objects are replaced by new ones without
   * them. Meanwhile no maintenance runs. Only packs are searched that were there before `roots` is called, so the roots
   * must reach every object that was needed by then. Unreachable objects with files of their own are left.
   * @throws RepositoryUnreadable when something holds on to an object that has to go, or a commit is missing; errors of
   * the options
   */
  sweep(options: SweepOptions): Promise<Swept>;

  /**
   * Resolves when no process and no stream has a file open that was removed before the call. Streams that still do
   * after a while are ended.
   */
  letGo(options: LetGoOptions): Promise<void>;

  /**
   * Writes the history of a commit, main's or an older one, into a new file for `git clone`. Durable when it resolves.
   * @throws GitProgramMissing without the git program.
   */
  bundle(head: Oid, file: string): Promise<void>;

  /** Ends child processes and streams. Nothing else may be called afterwards. */
  close(): Promise<void>;
}

/** A pack outside of the repository. */
export interface HeldPack {
  /** By its contents. */
  readonly name: string;
  /** Tells it from others of that name: two runs can bring the same contents. */
  readonly number: number;
}

/** A repository on disk, as another thread opens it. */
export interface RepositoryPlace {
  readonly path: string;
  readonly git: 'auto' | 'never';
}

export interface LetGoOptions {
  /** Milliseconds after which streams are ended. */
  readonly within: number;
  /** The error for their readers. */
  readonly reason: Error;
}

export interface SweepOptions {
  /** What stays; called once no other packing runs. */
  readonly roots: () => Promise<SweepRoots>;
  /**
   * Called when the kept objects are durable twice, and nothing has been removed yet. An error from it stops the sweep.
   * @param going what the searched packs have no more afterwards
   * @param findAdded names what is in other packs by then, or has a file of its own
   */
  readonly onCopied: (going: OidSet, findAdded: () => Promise<OidSet>) => void | Promise<void>;
  /** Stops it at its next step. */
  readonly signal?: AbortSignal;
}

/** What a sweep leaves. */
export interface SweepRoots {
  /** A commit, with everything that it leads to. */
  readonly head: Oid;
  /** Further objects, where they exist. */
  readonly also: readonly Oid[];
  /** Staged blobs. Those with a file of their own stay there, and in no pack. */
  readonly held: readonly Oid[];
}

/** The outcome of a sweep. */
export interface Swept {
  /** Unreachable objects with files of their own. They are left. */
  readonly loose: readonly Oid[];
  /** Trees and blobs that the commit leads to, and that were not there. */
  readonly missing: readonly Oid[];
  /** Of the held: those that are in one of the searched packs, because they had no file of their own yet. */
  readonly heldInPacks: readonly Oid[];
}

export interface RepositoryStats {
  packs: number;
  looseObjects: number;
  bytes: number;
}

/** The result of maintenance. */
export interface MaintenanceReport {
  before: RepositoryStats;
  after: RepositoryStats;
  /** The work that was left out and why, for an operator to read; null for nothing. */
  missing: string | null;
  /** Paths in the repository of the damaged files that it met and left as they are. */
  damaged: readonly string[];
  /** It was called off before it had joined anything. */
  isCalledOff?: boolean;
}
