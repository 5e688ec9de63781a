import type { Location } from '../domain/location.js';
import { searchUnavailable } from '../domain/refusal.js';
import type { SearchDocument } from '../search/analysis/analyze-document.js';
import { openLanguages, type LanguageCode, type Languages } from '../search/languages/languages.js';
import {
  SearchIndex,
  type Analysis,
  type SearchOptions,
  type SearchPage,
  type SearchRequest,
} from '../search/search-index.js';
import { openVectors } from '../search/meaning/open-vectors.js';
import { ownVectors } from '../search/meaning/word-vectors.js';
import type { Snippet } from '../search/ranking/make-snippet.js';
import { IndexQueue } from './index-queue.js';
import { keysFor, type DocumentToIndex, type IndexBatch, type IndexEvent } from './index-event.js';

export interface SearchKeeperOptions {
  /** Where the index is kept between starts; null keeps it in memory. */
  readonly folder: string | null;
  /** In which documents are taken apart where nothing is stored. */
  readonly languages: readonly LanguageCode[];
  readonly readBlob: (oid: string) => Promise<Buffer>;
  /** Blob of the document's current version, if it is live and text. */
  readonly blobOf: (number: number) => { readonly oid: string; readonly size: number } | undefined;
  readonly onFault: (what: string, cause: unknown) => void;
  /** The index is no longer in step with the history or the policy: it has to catch up. */
  readonly onBehind: () => void;
}

/** What is done to the whole index in the background, and how far that is. */
export interface SearchProgress {
  /**
   * `build`: there is no index, searches are refused until there is. `meaning`: words alone rank until all documents
   * are revised. `languages`: the index in the languages of before answers until the new one is whole.
   */
  readonly task: 'build' | 'meaning' | 'languages';
  /** Documents done, and documents in all, as counted when it began. */
  readonly done: number;
  readonly documents: number;
}

/** Texts above this are found by their name alone. Bytes. */
export const maxIndexedBytes = 10 * 1024 * 1024;
/** Bytes of text that are analysed on the spot, which takes milliseconds whatever they are; more goes to a worker. */
const shortText = 16 * 1024;
/** Notes after which the index is stored, so that little is to be caught up after a crash. */
const storedEvery = 5000;

/**
 * Keeps the text index in step with the journal. Notes come in the order of the commits and are followed in that
 * order. Writes don't wait for it: a search waits until every note taken before it has been followed, so whoever was
 * answered is found, and many small commits are followed together. The index is derived: a fault here never fails a
 * write, it makes the index be built anew.
 */
export class SearchKeeper {
  #progress: SearchProgress | null = null;
  #index: SearchIndex;
  /** Filled beside the other one, until it takes its place. */
  #next: SearchIndex | null = null;
  readonly #options: SearchKeeperOptions;
  readonly #queue = new IndexQueue({ follow: (batch) => this.#followBatch(batch), rest: () => this.#saveIfDue() });
  /** Whether the index is behind in a way that notes don't mend: they are left out until somebody has caught up. */
  #isBehind = true;
  #isReady = false;
  #isBroken = false;
  #isClosing = false;
  #sinceStored = 0;

  constructor(options: SearchKeeperOptions) {
    this.#options = options;
    this.#index = SearchIndex.open(this.#optionsFor(openLanguages(options.languages)));
    if (this.index.dropped !== null) {
      options.onFault('The stored search index could not be trusted and is built anew', this.index.dropped);
    }
  }

  #optionsFor(languages: Languages): SearchOptions {
    const { folder, blobOf, onFault } = this.#options;
    return {
      folder,
      languages,
      readText: (number) => this.#readText(blobOf(number)),
      report: (error) => onFault('The search index had a fault in the background', error),
    };
  }

  get index(): SearchIndex {
    return this.#index;
  }

  /** Where the index is going in the background; null when it is as the policy asks for. */
  get progress(): SearchProgress | null {
    return this.#progress;
  }

  /** Called by the one who works on the whole index. */
  noteProgress(progress: SearchProgress | null): void {
    this.#progress = progress;
  }

  /** Whether searches can be answered: false while the index is being built. */
  get isReady(): boolean {
    return this.#isReady && !this.#isBroken;
  }

  /** Whether it is about to end: a rebuild that is under way stops. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * From now on notes are followed. Until then they are left out: followed on an index that is behind, they would hide
   * that it is, and whoever reads what has changed since it was stored reads what they tell, too.
   */
  startFollowing(): void {
    this.#isBehind = false;
  }

  /**
   * From now on the index is filled anew, and no search is answered until it is whole. When this resolves it is empty,
   * and what went wrong before is over.
   */
  startAnew(languages: readonly LanguageCode[]): Promise<void> {
    this.startFollowing();
    this.#isReady = false;
    return this.inOrder(() => {
      this.#isBroken = false;
      this.index.startRebuild(openLanguages(languages));
    });
  }

  /** Called by the one who has caught up with the history; what went wrong meanwhile is still to be mended. */
  markReady(): void {
    this.startFollowing();
    this.#isReady = true;
  }

  /** The rows that the index was made from were made anew, and number the documents in another way perhaps. */
  distrust(): void {
    this.#isBroken = true;
    this.#options.onBehind();
  }

  /** Whether a note could not be followed, so that the index has to be built anew. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** To be called when the policy has changed. */
  catchUp(): void {
    this.#options.onBehind();
  }

  /**
   * Sets whether meaning is told, too. Until documents have been revised for that, text alone ranks.
   * @returns whether a revision is due, and has begun
   */
  async useMeaning(isWanted: boolean): Promise<boolean> {
    // Some megabytes, for those alone who want it.
    const vectors = isWanted ? openVectors(ownVectors) : null;
    let isDue = false;
    await this.inOrder(() => {
      isDue = this.index.useVectors(vectors);
      if (isDue) this.index.startRevision();
    });
    return isDue;
  }

  /**
   * Begins an index in other languages beside the one that answers; writes are followed by both from now on.
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
      // What could not follow a write is not whole: it is built anew, in place.
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
   * Does something to the index when all that has been noted up to now is followed, and before anything that is noted
   * from now on: what is read of the documents in the moment of the call is what the index has then.
   * @returns when it is done @throws what the work throws, which does the index no harm
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

  /** Takes notes of a commit that has just become durable. Returns at once. */
  follow(commit: string, notes: readonly IndexEvent[]): void {
    if (!this.#isBehind) this.#queue.add(notes.map((note) => ({ note, commit })));
  }

  /** Resolves when all notes taken so far have been followed; at once when none wait. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Resolves when there is room for the notes of another write: at once but under a long flood of them. */
  roomForWrites(): Promise<void> {
    return this.#queue.roomForWrites();
  }

  /** @throws Refusal UNAVAILABLE while the index is being built; INVALID_REQUEST for a query beyond the limits */
  async search(request: SearchRequest): Promise<SearchPage> {
    if (!this.isReady) throw searchUnavailable();
    if (!this.#queue.isSettled) await this.settled();
    return this.index.search(request);
  }

  /** @throws Refusal INVALID_REQUEST as `search` does */
  snippet(location: Location, text: string, query: string): Promise<Snippet> {
    return this.index.snippet(location, text, query);
  }

  /** The text of a document's blob, or null when it is too long to be indexed. */
  async #readText(blob: { readonly oid: string; readonly size: number } | undefined): Promise<string | null> {
    if (blob === undefined || blob.size > maxIndexedBytes) return null;
    return (await this.#options.readBlob(blob.oid)).toString('utf8');
  }

  /** Takes documents apart for `apply` or `backfill`. */
  async analyze(documents: readonly DocumentToIndex[], index = this.index): Promise<Analysis> {
    const prepared: SearchDocument[] = [];
    let bytes = 0;
    for (const { location, blobOid, size, kind, labels } of documents) {
      const text = kind === 'text' ? await this.#readText({ oid: blobOid, size }) : null;
      bytes += text === null ? 0 : Math.max(size, text.length);
      prepared.push({ location, text, kind, labels });
    }
    return bytes > shortText ? index.analyzeInWorker(prepared) : index.analyze(...prepared);
  }

  /** Stores the index as it is when all that has been noted is followed. */
  async store(): Promise<void> {
    let saving: Promise<void> | undefined;
    await this.inOrder(() => {
      saving = this.#save();
    });
    await saving;
  }

  /** An erased document: no word that only it had is left in memory or in a file when this resolves. */
  async forget(number: number): Promise<void> {
    await this.index.expel(number);
    await this.store();
  }

  /** Only where a commit is followed whole: the next start goes on from the one that the stored index names. */
  #save(): Promise<void> {
    this.#sinceStored = 0;
    return this.index.save();
  }

  /** From now on a rebuild stops where it is. */
  startClosing(): void {
    this.#isClosing = true;
  }

  /** Stores the index, if it is whole, and ends its workers. */
  async close(): Promise<void> {
    await this.settled();
    await this.dropNext();
    if (this.isReady) await this.store();
    await this.index.close();
  }

  /** Never fails: what goes wrong is reported. */
  async #saveIfDue(): Promise<void> {
    if (this.#sinceStored < storedEvery || !this.isReady) return;
    await this.#save().catch((error: unknown) => this.#options.onFault('The search index was not stored', error));
  }

  /** Never fails: what could not be followed is reported, and the index is built anew. */
  async #followBatch({ notes, count, commit }: IndexBatch): Promise<void> {
    try {
      const [first] = notes;
      if (first?.type === 'work') first.run();
      else {
        const indexes = this.#next === null ? [this.index] : [this.index, this.#next];
        for (const index of indexes) await this.#followIn(index, notes as readonly IndexEvent[], commit);
      }
    } catch (error) {
      if (!this.#isBroken) this.#options.onBehind();
      this.#isBroken = true;
      this.#options.onFault('The search index could not follow a write and is built anew', error);
    }
    this.#sinceStored += count;
  }

  async #followIn(index: SearchIndex, notes: readonly IndexEvent[], commit: string): Promise<void> {
    const documents = notes.flatMap((note) => (note.type === 'upsert' ? [note.document] : []));
    if (documents.length > 0) {
      const analysis = await this.analyze(documents, index);
      index.apply({ commit, upserts: [{ analysis, keys: keysFor(analysis, documents) }] });
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
