import { faultOfLocation, parseLocation, type Location } from '../domain/location.js';
import { readPolicy } from '../access/read-policy.js';
import { compareTrees } from '../git/sources/compare-trees.js';
import { decodeCommit, type Oid } from '../git/objects/objects.js';
import { systemTimers, type Timers } from '../scheduling/timers.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import type { LanguageCode } from '../search/languages/languages.js';
import { knownLanguages } from '../search/languages/open-stemmer.js';
import type { SearchIndex, SearchUpsert } from '../search/search-index.js';
import type { Repository } from '../git/repositories/repository.js';
import type { Journal } from '../journal/journal.js';
import type { ObjectReader } from '../journal/object-reader.js';
import { findDocument } from '../view/locate.js';
import { invalidatedIndex, readInvalidation } from './invalidate-index.js';
import type { SearchKeeper, SearchProgress } from './search-keeper.js';
import type { DocumentToIndex, IndexEvent } from './index-event.js';
import type { IndexedTexts } from './indexed-texts.js';
import { mendIdentities } from './mend-identities.js';
import { describeRow, locateRow, toIndex } from './read-documents.js';
import type { Tables } from '../sidecar/tables.js';

/** The parts of a workspace that its text index is built from. */
export interface IndexedWorkspace {
  readonly journal: Journal;
  readonly objects: ObjectReader;
  readonly repository: Pick<Repository, 'read'>;
  readonly texts: IndexedTexts;
}

const batch = 128;
/** Maximum of changed places examined in one step; above it the index is rebuilt, a batch at a time. */
const maxChanged = 10_000;

/** Gets the progress of work on the whole index: its begin, its extent, and (null) its end. */
/** Whether more tenths of the work are done than before, or it has begun or ended: worth a line of the log. */
export function isAnotherTenth(before: SearchProgress | null, now: SearchProgress | null): boolean {
  const tenth = (each: SearchProgress | null): number =>
    each === null ? -1 : Math.floor((10 * each.done) / Math.max(1, each.documents));
  return tenth(before) !== tenth(now);
}

export type OnSearchProgress = (progress: SearchProgress | null) => void;

/**
 * Brings a stored index up to the present commit. If there is one to start from, it takes the difference of the two
 * trees, and compares the numbers of all documents. Else it rebuilds the index from the documents. If another version of
 * the program made the index, or the policy asks for other languages, a new one is then built beside it and replaces it.
 * If it asks for meaning and the index has none yet, all documents are revised for it, while text ranks. Writes go on
 * meanwhile.
 */
export async function catchUpSearch(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  onProgress: OnSearchProgress = () => undefined,
): Promise<void> {
  const { searchByMeaning, searchLanguages } = readPolicy(workspace.journal.reader);
  const languages = knownLanguages(searchLanguages);
  try {
    const isRevisionDue = await keeper.useMeaning(searchByMeaning);
    await catchUpText(workspace, keeper, languages, onProgress);
    if (keeper.isClosing) return;
    if (keeper.index.isOutdated || keeper.index.languages.codes.join() !== languages.join()) {
      await buildNext(workspace, keeper, languages, searchByMeaning, onProgress);
    } else if (isRevisionDue && !keeper.index.ranksByMeaning) await reviseAll(workspace, keeper, onProgress);
    // Texts that were read before a change of the policy are in the index by then.
    if (keeper.isReady) await keeper.inOrder(() => undefined);
    // Texts of files come by and by: nobody waits for them.
    if (keeper.isReady && !keeper.isClosing) workspace.texts.catchUp(keeper.index.files());
  } finally {
    onProgress(null);
  }
}

async function catchUpText(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  languages: readonly LanguageCode[],
  onProgress: OnSearchProgress,
): Promise<void> {
  // It follows every write: while events wait, it is not behind.
  if (keeper.isReady) return;
  const isTrusted = !keeper.isBroken && readInvalidation(workspace.journal.reader) === '';
  const changed = isTrusted ? await listChanged(workspace, keeper.index.commit) : undefined;
  if (changed !== undefined) {
    // No write happens between these steps: events of later writes come after those of the present state.
    keeper.startFollowing();
    keeper.follow(workspace.journal.state.head ?? '', noteChanged(workspace.journal.reader, changed));
    await keeper.settled();
    if (!keeper.isBroken) await mendIdentities(workspace.journal, keeper);
    if (keeper.isClosing) return;
    if (!keeper.isBroken) {
      await catchUpLabels(workspace, keeper);
      keeper.markReady();
      return;
    }
  }
  await buildAnew(workspace, keeper, languages, onProgress);
}

/** Labels are no part of the history: changes since the last store of the index show in the sidecar alone. */
async function catchUpLabels(workspace: IndexedWorkspace, keeper: SearchKeeper): Promise<void> {
  const stored = keeper.index.readLabels();
  const correct = (number: number, labels: readonly string[]): void => {
    const { reader, state } = workspace.journal;
    const head = state.head ?? '';
    const row = reader.documents.byNumber(number);
    if (row !== undefined) keeper.follow(head, [{ type: 'relabel', location: locateRow(reader, row), labels }]);
  };
  for (let after = 0; ; await yieldToLoop()) {
    const labelled = workspace.journal.reader.labels.after(after, batch);
    if (labelled.size === 0) break;
    for (const [number, labels] of labelled) {
      const known = stored.get(number) ?? [];
      stored.delete(number);
      after = number;
      if (known.length !== labels.length || labels.some((label) => !known.includes(label))) correct(number, labels);
    }
  }
  for (const number of stored.keys()) correct(number, workspace.journal.reader.labels.of(number));
  await keeper.settled();
}

/**
 * The changed places between the commit of a stored index and the present one. The result is up to date when this
 * returns, in spite of writes while trees were read.
 * @returns undefined when it is unknown, or too much
 */
async function listChanged(workspace: IndexedWorkspace, from: Oid | null): Promise<ReadonlySet<Location> | undefined> {
  const { journal, objects, repository } = workspace;
  const changed = new Set<Location>();
  if (from === journal.state.head) return changed;
  if (from === null) return undefined;
  try {
    let reached: Oid | null = decodeCommit((await repository.read(from)).bytes).tree;
    while (reached !== journal.state.tree) {
      const { tree } = journal.state;
      for await (const { path } of compareTrees(reached, tree, (oid) => objects.readTree(oid))) {
        const text = path.join('/');
        if (faultOfLocation(text) === undefined) changed.add(parseLocation(text));
        if (changed.size > maxChanged) return undefined;
      }
      reached = tree;
    }
    return changed;
  } catch {
    // A stored index of a lost commit (a restored or rewritten history) is of no use.
    return undefined;
  }
}

/** The present contents of the places. */
function noteChanged(tables: Tables, changed: Iterable<Location>): IndexEvent[] {
  const removed: IndexEvent[] = [];
  const written: IndexEvent[] = [];
  for (const location of changed) {
    const found = findDocument(tables, location);
    if (found === undefined) removed.push({ type: 'remove', location });
    else written.push({ type: 'upsert', document: toIndex(tables, found) });
  }
  return [...removed, ...written];
}

async function buildAnew(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  languages: readonly LanguageCode[],
  onProgress: OnSearchProgress,
): Promise<void> {
  const { index } = keeper;
  const invalidation = readInvalidation(workspace.journal.reader);
  await keeper.startAnew(languages);
  // An erase waits for this. It finds texts by the number of their document.
  if (invalidation !== '') await workspace.texts.files.dropStale();
  await takeAll(workspace, keeper, index, (...some) => index.backfill(...some), 'build', onProgress);
  if (keeper.isClosing) return;
  const { head } = workspace.journal.state;
  await keeper.inOrder(() => index.endRebuild(head ?? ''));
  keeper.markReady();
  if (!keeper.isReady) return;
  await keeper.store();
  if (invalidation === '') return;
  await workspace.journal.write({
    // Unless the rows were rebuilt once more.
    run: ({ tables }) =>
      readInvalidation(tables) === invalidation ? tables.meta.set(invalidatedIndex, '') : undefined,
  });
}

async function buildNext(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  languages: readonly LanguageCode[],
  meaning: boolean,
  onProgress: OnSearchProgress,
): Promise<void> {
  const task = keeper.index.isOutdated ? 'analysis' : 'languages';
  const next = await keeper.startNext(languages, meaning);
  try {
    await takeAll(workspace, keeper, next, (...some) => next.backfill(...some), task, onProgress);
    if (keeper.isClosing) return;
    await keeper.finishNext(workspace.journal.state.head ?? '');
  } finally {
    await keeper.dropNext();
  }
}

async function reviseAll(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  onProgress: OnSearchProgress,
): Promise<void> {
  const { index } = keeper;
  await takeAll(workspace, keeper, index, (...some) => index.revise(...some), 'meaning', onProgress);
  if (keeper.isClosing) return;
  await keeper.inOrder(() => index.endRevision());
  await keeper.store();
}

/** Takes documents into an index; those left out have changed since they were read. */
type Take = (documents: SearchUpsert, leftOut: ReadonlySet<number>) => void;

/**
 * Analyses all live documents, batch by batch. Each batch gets into the index at its place in the queue of writes.
 * Stops early when the workspace is about to close.
 */
async function takeAll(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  index: SearchIndex,
  take: Take,
  task: SearchProgress['task'],
  onProgress: OnSearchProgress,
): Promise<void> {
  const all = workspace.journal.reader.documents.countLive();
  let after = 0;
  let done = 0;
  onProgress({ task, done, documents: all });
  while (!keeper.isClosing) {
    const tables = workspace.journal.reader;
    const documents = tables.documents.afterNumber(after, batch).map((row) => describeRow(tables, row));
    const last = documents.at(-1);
    if (last === undefined) break;
    for (let due = documents; due.length > 0 && !keeper.isClosing;) {
      due = await takeSome(workspace, keeper, index, take, due);
    }
    after = last.number;
    done += documents.length;
    onProgress({ task, done, documents: all });
  }
}

/** @returns the documents moved or labelled while their texts were read: they need another pass */
async function takeSome(
  workspace: IndexedWorkspace,
  keeper: SearchKeeper,
  index: SearchIndex,
  take: Take,
  documents: readonly DocumentToIndex[],
): Promise<DocumentToIndex[]> {
  const pieces = await keeper.analyze(documents, index);
  const tables = workspace.journal.reader;
  const leftOut = new Set<number>();
  const again: DocumentToIndex[] = [];
  for (const document of documents) {
    const row = tables.documents.byNumber(document.number);
    const present = row === undefined ? undefined : describeRow(tables, row);
    if (JSON.stringify(present) === JSON.stringify(document)) continue;
    leftOut.add(document.number);
    // Documents written or restored meanwhile have their events, and come by themselves.
    if (present?.blobOid === document.blobOid) again.push(present);
  }
  await keeper.inOrder(() => {
    for (const piece of pieces) take(piece, leftOut);
  });
  return again;
}

/** Milliseconds until a failed run is made again: twice as long after each failure, up to the longest. */
const firstPause = 1000;
const longestPause = 10 * 60_000;

export interface CatchUpOptions {
  /** Brings the index up to date. @throws Error where it could not */
  readonly run: () => Promise<void>;
  readonly onFault: (cause: unknown) => void;
  /** Left out: the system's. */
  readonly timers?: Timers;
}

/**
 * Brings the search index up to date whenever it is asked for, one run after the other. A run that failed is made again
 * after a pause: what kept it may be over by then, and no search would be answered until the next start.
 */
export class IndexCatchUp {
  readonly #options: CatchUpOptions;
  #last: Promise<void> = Promise.resolve();
  #failures = 0;
  #isClosed = false;
  /** Takes the next attempt back. */
  #forget: () => void = () => undefined;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** Resolves when all runs asked for so far have ended, well or not. */
  get ended(): Promise<void> {
    return this.#last;
  }

  /** Returns at once. */
  ask(): void {
    this.#forget();
    this.#last = this.#last.then(() => this.#run());
  }

  /** Resolves when the run under way has ended. None begins after that. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#forget();
    return this.#last;
  }

  async #run(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#options.run();
      this.#failures = 0;
    } catch (error) {
      this.#options.onFault(error);
      const pause = Math.min(firstPause * 2 ** this.#failures, longestPause);
      this.#failures += 1;
      this.#forget();
      if (!this.#isClosed) this.#forget = (this.#options.timers ?? systemTimers).after(pause, () => this.ask());
    }
  }
}
