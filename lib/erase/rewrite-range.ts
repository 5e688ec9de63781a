import { segmentsOf } from '../domain/location.js';
import { ObjectNotFound, RepositoryUnreadable, WorkInterrupted } from '../git/errors.js';
import type { HistoryPacker } from '../git/packs/history-packer.js';
import { MissingObject, type Oid } from '../git/objects/objects.js';
import type { ReadCommit, WantedCommit } from '../git/repositories/read-commits.js';
import type { Repository } from '../git/repositories/repository.js';
import { treeOf } from '../git/objects/rewrite-commit.js';
import { Tree } from '../git/objects/tree.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { encodeRewritten, type RewrittenCommit } from '../sidecar/tables/rewritten-commit-table.js';
import { makeObjectCache } from '../journal/object-cache.js';
import {
  HistoryDisagrees,
  rewriteOne,
  type ErasedDocument,
  type RewriteState,
  type RewriteStep,
} from './redact-commit.js';

/** A part of the history: the commits behind `after` up to `head`. */
export interface HistoryRange {
  readonly documents: readonly ErasedDocument[];
  readonly state: RewriteState;
  readonly after: Oid | null;
  readonly head: Oid;
}

export interface RewriteParts {
  readonly repository: Pick<Repository, 'read' | 'history'>;
  readonly readCommits: (wanted: AsyncIterable<WantedCommit>) => AsyncIterable<readonly ReadCommit[]>;
  readonly packer: HistoryPacker;
  /** Receives rewritten commits, encoded by `encodeRewritten`. Their objects may not be stored yet. */
  readonly onRewritten: (pieces: readonly Uint8Array<ArrayBuffer>[]) => void;
  readonly signal: AbortSignal;
}

/** Number of commits reported together. */
const reportedTogether = 2000;
const treeCacheBytes = 64 * 1024 * 1024;

/**
 * Rewrites the commits of a range, in order, and stores their new objects in packs. No reference names them yet.
 * @returns the state of the rewrite at the range's end; everything up to there is durable
 * @throws HistoryDisagrees; ObjectNotFound, RepositoryUnreadable; the signal's reason
 */
export async function rewriteRange(range: HistoryRange, parts: RewriteParts): Promise<RewriteState> {
  const { documents } = range;
  const { repository, packer, signal } = parts;
  const trees = new TreeReader(repository);
  let { state } = range;
  let made: RewrittenCommit[] = [];
  const reportMade = (): void => {
    parts.onRewritten(encodeRewritten(made));
    made = [];
  };
  const failed = async (error: unknown): Promise<never> => {
    if (error instanceof ObjectNotFound) throw await nameOlder(lossOf(error.oid, error, null), range, repository);
    throw error;
  };
  for await (const commits of passErrors(parts.readCommits(listWanted(range, repository)), failed)) {
    signal.throwIfAborted();
    await trees.prepare(commits, state);
    for (const commit of commits) {
      const step: RewriteStep = await trees
        .retry((load) => rewriteOne(documents, state, commit, load))
        .catch(async (error: unknown) => {
          if (error instanceof HistoryDisagrees) throw await nameOlder(error, range, repository);
          throw isLoss(error) ? await nameLosers(error, { documents, state, commit }, trees) : error;
        });
      state = step.state;
      made.push(step.commit);
      packer.addTrees(step.trees);
      if (step.object !== undefined) packer.addCommit(step.object);
    }
    if (made.length >= reportedTogether) reportMade();
    if (packer.isFull) await packer.flush();
    await yieldToLoop();
  }
  reportMade();
  await packer.flush();
  return state;
}

/** With the documents by their ids: a commit that cannot be rewritten prevents the erase of older documents. */
async function nameOlder(
  error: HistoryDisagrees,
  { documents, after, head }: HistoryRange,
  repository: Pick<Repository, 'history'>,
): Promise<HistoryDisagrees> {
  if (error.documentIds !== null) return error;
  const later = new Set<string>();
  let isBehind = false;
  // Not from the commit on: it may be missing.
  for await (const oid of repository.history(head, after)) {
    // A document's places begin with its first version.
    if (isBehind) for (const { id, places } of documents) if (places.keys().next().value === oid) later.add(id);
    if (oid === error.commit) isBehind = true;
  }
  const hindered = documents.map(({ id }) => id).filter((id) => !later.has(id));
  return new HistoryDisagrees(error.message, error.commit, hindered, error.isLoss);
}

/** An object is missing or damaged. A program that was ended from outside says nothing about objects. */
const isLoss = (error: unknown): error is Error =>
  error instanceof ObjectNotFound || (error instanceof RepositoryUnreadable && !(error instanceof WorkInterrupted));

function lossOf(commit: Oid, { message }: Error, documentIds: readonly string[] | null): HistoryDisagrees {
  return new HistoryDisagrees(`The commit ${commit} cannot be rewritten: ${message}`, commit, documentIds, true);
}

/** With the documents that cannot be taken out of this commit: only their folders need what is missing. */
async function nameLosers(
  error: Error,
  { documents, state, commit }: Pick<HistoryRange, 'documents' | 'state'> & { readonly commit: ReadCommit },
  trees: TreeReader,
): Promise<Error> {
  const losers: string[] = [];
  for (const [index, document] of documents.entries()) {
    const alone = { ...state, locations: [state.locations[index] ?? null] };
    try {
      await trees.retry((load) => rewriteOne([document], alone, commit, load));
    } catch (reason) {
      if (isLoss(reason)) losers.push(document.id);
    }
  }
  return losers.length === 0 ? error : lossOf(commit.oid, error, losers);
}

async function* passErrors<Item>(
  items: AsyncIterable<Item>,
  failed: (error: unknown) => Promise<never>,
): AsyncGenerator<Item, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch(failed);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The range's commits. Those with one of the documents come with their folders. */
async function* listWanted(
  { documents, state, after, head }: HistoryRange,
  repository: Pick<Repository, 'history'>,
): AsyncGenerator<WantedCommit, void, undefined> {
  const isThere = state.locations.map((location) => location !== null);
  for await (const oid of repository.history(head, after)) {
    for (const [index, { places }] of documents.entries()) {
      const place = places.get(oid);
      if (place !== undefined) isThere[index] = place.location !== null;
    }
    yield { oid, withTree: isThere.includes(true) };
  }
}

function requireLoss(error: unknown): void {
  if (!isLoss(error)) throw error;
}

/** Reads trees for synchronous work. Missing trees are fetched, and the work is repeated. */
class TreeReader {
  readonly #repository: Pick<Repository, 'read'>;
  readonly #trees = makeObjectCache<Tree>(treeCacheBytes);
  /** Root folders of the present commits. */
  readonly #roots = new Map<Oid, Tree>();
  /** Trees requested by the present work, regardless of their size. */
  readonly #held = new Map<Oid, Tree>();

  constructor(repository: Pick<Repository, 'read'>) {
    this.#repository = repository;
  }

  /** Takes the root folders that came with the commits, and fetches the trees on the documents' way together. */
  async prepare(commits: readonly ReadCommit[], { locations }: RewriteState): Promise<void> {
    this.#roots.clear();
    for (const { bytes, tree } of commits) if (tree !== undefined) this.#roots.set(treeOf(bytes), Tree.parse(tree));
    for (const location of locations) {
      if (location === null) continue;
      let level = [...this.#roots.keys()];
      for (const segment of segmentsOf(location).slice(0, -1)) {
        const next = new Set<Oid>();
        for (const oid of level) {
          const entry = this.#find(oid)?.entry(segment);
          if (entry?.mode === '40000') next.add(entry.oid);
        }
        level = [...next];
        // What cannot be read is asked for again by the work that needs it.
        await this.#readTogether(level.filter((oid) => this.#find(oid) === undefined)).catch(requireLoss);
      }
    }
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
    const tree = this.#find(oid);
    if (tree === undefined) throw new MissingObject(oid);
    return tree;
  }

  #find(oid: Oid): Tree | undefined {
    if (oid === Tree.empty.oid) return Tree.empty;
    return this.#roots.get(oid) ?? this.#held.get(oid) ?? this.#trees.get(oid);
  }

  /** As many as the cache keeps until they are needed. The others are read then. */
  async #readTogether(oids: readonly Oid[]): Promise<void> {
    const [first, ...others] = oids;
    if (first === undefined) return;
    const { length } = (await this.#read(first)).bytes;
    const most = Math.floor(treeCacheBytes / 4 / (length + 200));
    await Promise.all(others.slice(0, most).map((oid) => this.#read(oid)));
  }

  async #read(oid: Oid): Promise<Tree> {
    const tree = Tree.parse((await this.#repository.read(oid)).bytes);
    this.#trees.set(oid, tree);
    return tree;
  }
}
