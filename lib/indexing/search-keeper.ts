import type { Clock } from '../domain/clock.js';
import { searchUnavailable } from '../domain/refusal.js';
import { WorkInterrupted } from '../git/errors.js';
import { openLanguages, type LanguageCode, type Languages } from '../search/languages/languages.js';
import {
  SearchIndex,
  type SearchHit,
  type SearchOptions,
  type SearchPage,
  type SearchRequest,
  type SearchUpsert,
  type Suggestion,
  OtherIndexFormat,
} from '../search/search-index.js';
import { openVectors } from '../search/meaning/open-vectors.js';
import { ownVectors } from '../search/meaning/word-vectors.js';
import type { FoundPlace, Snippet } from '../search/ranking/make-snippet.js';
import { IndexQueue } from './index-queue.js';
import { analyzeDocuments } from './analyze-documents.js';
import type { IndexedTexts } from './indexed-texts.js';
import { documentsOf, type DocumentToIndex, type IndexBatch, type IndexEvent } from './index-event.js';

export interface SearchKeeperOptions {
  /** Where the index is stored between starts; null holds it in memory. */
  readonly folder: string | null;
  /** The languages of the analysis where nothing is stored. */
  readonly languages: readonly LanguageCode[];
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly texts: IndexedTexts;
  readonly onFault: (what: string, cause: unknown) => void;
  /** Receives what is worth knowing, for the log. */
  readonly onNews?: ((what: string, figures: Readonly<Record<string, unknown>>) => void) | undefined;
  /** The index is no longer in step with the history or the policy: it has to catch up. */
  readonly onBehind: () => void;
}

/** The background work on the whole index, and its progress. */
export interface SearchProgress {
  /**
   * `build`: there is no index, and searches are refused until there is. `meaning`: words alone rank until all
   * documents are revised. `languages`, `analysis`: the index in the former languages, or of another version of the
   * program, answers until the new one is whole.
   */
  readonly task: 'build' | 'meaning' | 'languages' | 'analysis';
  /** Documents done, and documents in all, as counted when it began. */
  readonly done: number;
  readonly documents: number;
}

/** New versions that are being analysed for an index. */
interface BegunAnalysis {
  readonly index: SearchIndex;
  readonly upserts: Promise<SearchUpsert[]>;
}

/** Most texts that are left out of an index because of faults. */
const maxLeftOut = 100;
/** Events, or milliseconds, after which the index is stored, so little is left to catch up after a crash. */
const storedEvery = 5000;
const storedWithin = 60 * 60 * 1000;

/**
 * Keeps the text index in step with the journal. Events arrive in the order of the commits and are applied in that
 * order. Writes do not wait for it. A search waits until every event taken before it has been applied, so it finds
 * every acknowledged write. Many small commits are applied together. The index is derived: a fault here never fails a
 * write, but causes a rebuild of the index.
 */
export class SearchKeeper {
  #progress: SearchProgress | null = null;
  #index: SearchIndex;
  /** Filled beside the other one, until it takes its place. */
  #next: SearchIndex | null = null;
  readonly #options: SearchKeeperOptions;
  readonly #queue = new IndexQueue<BegunAnalysis>({
    begin: (batch) => this.#begin(batch),
    follow: (batch, begun) => this.#followBatch(batch, begun),
    rest: () => this.#saveIfDue(),
  });
  /** Whether the index is behind in a way that events do not mend: they are left out until a catch-up is done. */
  #isBehind = true;
  #isReady = false;
  #isBroken = false;
  #isClosing = false;
  #sinceStored = 0;
  #storedAt: number;
  #isStoring = false;

  constructor(options: SearchKeeperOptions) {
    this.#options = options;
    this.#storedAt = options.clock.elapsed();
    this.#index = SearchIndex.open(this.#optionsFor(openLanguages(options.languages)));
    if (this.index.dropped instanceof OtherIndexFormat) {
      options.onNews?.('The search index of another version is built again', {});
    } else if (this.index.dropped !== null) {
      options.onFault('The stored search index could not be trusted and is built again', this.index.dropped);
    }
  }

  #optionsFor(languages: Languages): SearchOptions {
    const { folder, texts, onFault } = this.#options;
    return {
      folder,
      languages,
      readText: (number) =>
        texts.readCurrent(number).catch((error: unknown) => {
          onFault('A text could not be read, so that a search did not look for a phrase in it', error);
          return null;
        }),
      report: (error) => onFault('The search index had a fault in the background', error),
    };
  }

  get index(): SearchIndex {
    return this.#index;
  }

  /** The background work on the index; null when it is as the policy asks for. */
  get progress(): SearchProgress | null {
    return this.#progress;
  }

  /** Called by the worker on the whole index. */
  noteProgress(progress: SearchProgress | null): void {
    this.#progress = progress;
  }

  /** Whether searches can be answered: false while the index is being built. */
  get isReady(): boolean {
    return this.#isReady && !this.#isBroken;
  }

  /** Whether it is about to end: a rebuild under way stops. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * From now on events are applied. Until then they are left out: applied to an outdated index, they would hide that it
   * is outdated. A catch-up that reads the changes since the last store reads their content, too.
   */
  startFollowing(): void {
    this.#isBehind = false;
  }

  /**
   * From now on the index is filled again from nothing, and no search is answered until it is whole. When this resolves
   * it is empty, and earlier faults are over.
   */
  startAnew(languages: readonly LanguageCode[]): Promise<void> {
    this.startFollowing();
    this.#isReady = false;
    return this.inOrder(() => {
      this.#isBroken = false;
      this.index.startRebuild(openLanguages(languages));
    });
  }

  /** Called at the end of a catch-up with the history; faults during it are still to be mended. */
  markReady(): void {
    this.startFollowing();
    this.#isReady = true;
  }

  /** The rows that the index was made from were made again, and may number the documents in another way. */
  distrust(): void {
    this.#isBroken = true;
    this.#options.onBehind();
  }

  /** Whether an event could not be applied, so the index has to be rebuilt. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** To be called when the policy has changed. */
  catchUp(): void {
    this.#options.onBehind();
  }

  /**
   * Switches ranking by meaning. Until documents have been revised for it, text alone ranks.
   * @returns whether a revision is due, and has begun
   */
  async useMeaning(isWanted: boolean): Promise<boolean> {
    // Some megabytes, only for workspaces that want them.
    const vectors = isWanted ? openVectors(ownVectors) : null;
    let isDue = false;
    await this.inOrder(() => {
      isDue = this.index.useVectors(vectors);
      if (isDue) this.index.startRevision();
    });
    return isDue;
  }

  /**
   * Begins another index beside the one in use; both get all writes from now on.
   * @returns the new one, to be filled
   */
  async startNext(languages: readonly LanguageCode[], meaning: boolean): Promise<SearchIndex> {
    const vectors = meaning ? openVectors(ownVectors) : null;
    const next = SearchIndex.create(this.#optionsFor(openLanguages(languages)));
    await this.inOrder(() => {
      next.useVectors(vectors);
      next.startRebuild();
      this.#next = next;
    });
    return next;
  }

  /** The new index answers from now on; the other one is gone, with its files. @param commit the present one */
  async finishNext(commit: string): Promise<void> {
    const old = this.#index;
    await this.inOrder(() => {
      // An index that missed a write is not whole: it is rebuilt, in place.
      if (this.#next === null || this.#isBroken) return;
      this.#next.endRebuild(commit);
      this.#index = this.#next;
      this.#next = null;
    });
    if (old === this.#index) return;
    await old.close();
    await this.store();
  }

  /** Gives the new index up. */
  async dropNext(): Promise<void> {
    const next = this.#next;
    this.#next = null;
    await next?.close();
  }

  /**
   * Runs work on the index after all events so far have been applied, and before any later ones. So the index then
   * equals the documents as read in the moment of the call.
   * @returns when it is done @throws errors of the work, which do the index no harm
   */
  async inOrder(work: () => void): Promise<void> {
    const outcome: { error?: unknown } = {};
    const run = (): void => {
      try {
        work();
      } catch (error) {
        outcome.error = error;
      }
    };
    this.#queue.add([{ note: { type: 'work', run }, commit: '' }]);
    await this.settled();
    if ('error' in outcome) throw outcome.error;
  }

  /** Takes the events of a commit that has just become durable. Returns at once. */
  follow(commit: string, notes: readonly IndexEvent[]): void {
    if (!this.#isBehind) this.#queue.add(notes.map((note) => ({ note, commit })));
  }

  /** Resolves when all events taken so far have been applied; at once when none wait. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Whether all events taken so far have been applied. */
  get isSettled(): boolean {
    return this.#queue.isSettled;
  }

  /**
   * Resolves when there is room for the events of another write: at once but under a long flood of them.
   * @param isLong whether the write may bring many
   */
  roomForWrites(isLong = false): Promise<void> {
    return this.#queue.roomForWrites(isLong);
  }

  /** @throws Refusal UNAVAILABLE while the index is being built; INVALID_REQUEST for a query beyond the limits */
  async search(request: SearchRequest): Promise<SearchPage> {
    if (!this.isReady) throw searchUnavailable();
    if (!this.#queue.isSettled) await this.settled();
    // A write that could not be followed is not in it.
    if (!this.isReady) throw searchUnavailable();
    return this.index.search(request);
  }

  /** What the words of a search without a hit may have been. @throws Refusal as `search` does */
  async suggest(request: SearchRequest): Promise<readonly Suggestion[]> {
    if (!this.isReady) throw searchUnavailable();
    return this.index.suggest(request);
  }

  /** The snippet of a text that `search` found, for the query as it was read. */
  snippet({ location, ...found }: SearchHit & FoundPlace, text: string, query: SearchPage['query']): Promise<Snippet> {
    return this.index.snippet(location, text, query, found);
  }

  /** Analyses documents for `apply` or `backfill`, as `analyzeDocuments` does. */
  analyze(documents: readonly DocumentToIndex[], index = this.index): Promise<SearchUpsert[]> {
    return analyzeDocuments(documents, index, {
      texts: this.#options.texts,
      isClosing: () => this.#isClosing,
      leaveOut: (cause) => {
        // Where so much is missing, or the machine is to blame, no index is better than one that denies everything.
        if (cause instanceof WorkInterrupted || index.noteLeftOut() > maxLeftOut) throw cause;
        this.#options.onFault('A text could not be indexed, so that its document is found by its name alone', cause);
      },
    });
  }

  /** Stores the index when all events so far have been applied. */
  async store(): Promise<void> {
    let saving: Promise<void> | undefined;
    await this.inOrder(() => {
      saving = this.#save();
    });
    await saving;
  }

  /** An erased document: when this resolves, no word of it alone is left in memory or in a file. */
  async forget(number: number): Promise<void> {
    await this.#options.texts.files.forget(number);
    await this.index.expel(number);
    await this.store();
  }

  /** Only after the whole of a commit: the next start goes on from the commit of the stored index. */
  #save(): Promise<void> {
    this.#sinceStored = 0;
    this.#storedAt = this.#options.clock.elapsed();
    return this.index.save();
  }

  /** From now on a rebuild stops where it is. */
  startClosing(): void {
    this.#isClosing = true;
  }

  /** Stores the index, if it is whole, and ends its workers. */
  async close(): Promise<void> {
    await this.#options.texts.files.close();
    await this.settled();
    await this.dropNext();
    if (this.isReady) await this.store();
    await this.index.close();
  }

  /** Events go on meanwhile. Never fails: faults are reported. */
  #saveIfDue(): void {
    const isLate = this.#sinceStored > 0 && this.#options.clock.elapsed() - this.#storedAt >= storedWithin;
    if (this.#isStoring || !this.isReady || (this.#sinceStored < storedEvery && !isLate)) return;
    this.#isStoring = true;
    void this.#save()
      .catch((error: unknown) => this.#options.onFault('The search index was not stored', error))
      .finally(() => (this.#isStoring = false));
  }

  /**
   * Analyses new versions ahead, so that the worker does not wait for the texts. What other events change does not touch
   * the analysis of a text.
   */
  #begin({ notes, isUpsert }: IndexBatch): BegunAnalysis | undefined {
    if (!isUpsert || this.#next !== null) return undefined;
    const { index } = this;
    const upserts = this.analyze(documentsOf(notes), index);
    // Whoever follows the batch learns of a fault.
    upserts.catch(() => undefined);
    return { index, upserts };
  }

  /** Never fails: an event that could not be applied is reported, and the index is rebuilt. */
  async #followBatch({ notes, count, commit }: IndexBatch, begun: BegunAnalysis | undefined): Promise<void> {
    try {
      const [first] = notes;
      if (first?.type === 'work') first.run();
      else if (begun !== undefined && begun.index === this.index && this.#next === null) {
        this.index.apply({ commit, upserts: await begun.upserts });
      } else {
        const indexes = this.#next === null ? [this.index] : [this.index, this.#next];
        for (const index of indexes) await this.#followIn(index, notes as readonly IndexEvent[], commit);
      }
    } catch (error) {
      if (!this.#isBroken) this.#options.onBehind();
      this.#isBroken = true;
      this.#options.onFault('The search index could not follow a write and is built again', error);
    }
    this.#sinceStored += count;
  }

  async #followIn(index: SearchIndex, notes: readonly IndexEvent[], commit: string): Promise<void> {
    const documents = documentsOf(notes);
    if (documents.length > 0) {
      index.apply({ commit, upserts: await this.analyze(documents, index) });
      return;
    }
    for (const note of notes) {
      if (note.type === 'remove') index.apply({ commit, removals: [note.location] });
      else if (note.type === 'rename') index.apply({ commit, renames: [note] });
      else if (note.type === 'relabel') index.apply({ commit, relabels: [note] });
      else if (note.type === 'rewrite') index.apply({ commit });
    }
  }
}
