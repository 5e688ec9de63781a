import { setImmediate as pause } from 'node:timers/promises';
import { decodeCommit, makePackable, MissingObject, type Oid, type PackableObject } from '../git/objects.js';
import type { Repository } from '../git/repository.js';
import { Tree } from '../git/tree.js';
import type { RewrittenCommit } from '../sidecar/erase-rows.js';
import { ByteBoundedCache } from './object-cache.js';
import { rewriteOne, type ErasedDocument, type RewriteState, type RewriteStep } from './rewrite-commit.js';

/** A part of the history: the commits behind `after` up to `head`. */
export interface Stretch {
  readonly documents: readonly ErasedDocument[];
  readonly state: RewriteState;
  readonly after: Oid | null;
  readonly head: Oid;
}

export interface RewriteParts {
  readonly repository: Pick<Repository, 'read' | 'history'>;
  readonly addPack: (objects: readonly PackableObject[]) => Promise<void>;
  /** Told of commits as they are made anew; what they need may not be stored yet. */
  readonly tell: (commits: readonly RewrittenCommit[]) => void;
  readonly signal: AbortSignal;
}

/** Commits that are read together. */
const together = 256;
/** Bytes of one pack. */
const packBytes = 32 * 1024 * 1024;
const treeCacheBytes = 64 * 1024 * 1024;

/**
 * Makes the commits of a stretch anew, in order, and stores what is new about them in packs; nothing leads there yet.
 * @returns where the rewrite stands at its end; everything up to there is durable
 * @throws HistoryDisagrees; ObjectNotFound, RepositoryUnreadable; what the signal was aborted with
 */
export async function rewriteStretch(stretch: Stretch, parts: RewriteParts): Promise<RewriteState> {
  const { documents, head, after } = stretch;
  const { repository, signal } = parts;
  const trees = new TreeReader(repository);
  const stored = new Set<Oid>();
  let { state } = stretch;
  let objects: PackableObject[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await parts.addPack(objects);
    objects = [];
    bytes = 0;
  };
  const store = (object: PackableObject): void => {
    objects.push(object);
    bytes += object.deflated.length;
  };
  const take = async (oids: readonly Oid[]): Promise<void> => {
    signal.throwIfAborted();
    const commits = await Promise.all(oids.map(async (oid) => ({ oid, ...(await repository.read(oid)) })));
    if (state.locations.some((location) => location !== null)) {
      await trees.fetch(commits.map((commit) => decodeCommit(commit.bytes).tree));
    }
    const made: RewrittenCommit[] = [];
    for (const commit of commits) {
      const step: RewriteStep = await trees.retry((load) => rewriteOne(documents, state, commit, load));
      state = step.state;
      made.push(step.commit);
      for (const tree of step.trees) {
        if (stored.has(tree.oid)) continue;
        stored.add(tree.oid);
        // As it is: half of it is random, and what makes it small is the packing that follows.
        store(makePackable('tree', tree.bytes, 0, tree.oid));
      }
      if (step.object !== undefined) store(step.object);
    }
    parts.tell(made);
    if (bytes >= packBytes) await flush();
    await pause();
  };
  let group: Oid[] = [];
  for await (const oid of repository.history(head, after)) {
    group.push(oid);
    if (group.length < together) continue;
    await take(group);
    group = [];
  }
  await take(group);
  await flush();
  return state;
}

/** Reads trees for work that needs them at once: what it lacks is fetched, and the work done again. */
class TreeReader {
  readonly #repository: Pick<Repository, 'read'>;
  readonly #trees = new ByteBoundedCache<Tree>(treeCacheBytes, (tree) => tree.bytes.length + 200);
  /** What the work at hand has asked for, whatever its size. */
  readonly #held = new Map<Oid, Tree>();

  constructor(repository: Pick<Repository, 'read'>) {
    this.#repository = repository;
  }

  async fetch(oids: readonly Oid[]): Promise<void> {
    const missing = [...new Set(oids)].filter((oid) => oid !== Tree.empty.oid && this.#trees.get(oid) === undefined);
    await Promise.all(missing.map((oid) => this.#read(oid)));
  }

  async retry<Result>(work: (load: (oid: Oid) => Tree) => Result): Promise<Result> {
    for (;;) {
      try {
        const result = work((oid) => this.#load(oid));
        this.#held.clear();
        return result;
      } catch (error) {
        if (!(error instanceof MissingObject)) throw error;
        this.#held.set(error.oid, await this.#read(error.oid));
      }
    }
  }

  #load(oid: Oid): Tree {
    if (oid === Tree.empty.oid) return Tree.empty;
    const tree = this.#held.get(oid) ?? this.#trees.get(oid);
    if (tree === undefined) throw new MissingObject(oid);
    return tree;
  }

  async #read(oid: Oid): Promise<Tree> {
    const tree = Tree.parse((await this.#repository.read(oid)).bytes);
    this.#trees.set(oid, tree);
    return tree;
  }
}
