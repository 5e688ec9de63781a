import fs from 'node:fs';
import { nameOf, type Location } from '../domain/location.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import {
  analyzeDocument,
  relabelAnalyzed,
  renameAnalyzed,
  type AnalyzedDocument,
  type Reading,
  type SearchDocument,
} from './analysis/analyze-document.js';
import { defaultFirstTier } from './segments/choose-merge.js';
import { SegmentReader, type SegmentState } from './segments/segment-reader.js';
import { makeSnippet, type FoundPlace, type Snippet } from './ranking/make-snippet.js';
import { english, forgetLanguages, openLanguages, type Languages } from './languages/languages.js';
import type { WordVectors } from './meaning/word-vectors.js';
import type { Query } from './query/parse-query.js';
import { runSearch, runSuggest, type Searched } from './run-search.js';
import { Backfill } from './segments/backfill.js';
import { SearchWorker } from './search-worker.js';
import {
  analysisVersion,
  dropFiles,
  loadIndex,
  storeManifest,
  storeSegment,
  type IndexState,
} from './segments/segment-files.js';
import { toAnalysis, type Analysis, type SearchBatch, type SearchUpsert } from './segments/search-batch.js';
import type { SearchOptions } from './query/search-options.js';
import type { SearchPage, SearchRequest, Suggestion } from './query/search-request.js';
import type { Segment } from './segments/segment.js';
import { extract, keyAt, rewrite, SegmentSet, type SegmentPlace } from './segments/segment-set.js';
import { forgetStems } from './analysis/stem-word.js';
import { writeSegment } from './segments/write-segment.js';

export type * from './segments/search-batch.js';
export { OtherIndexFormat } from './segments/segment-files.js';
export type * from './query/search-options.js';
export type * from './query/search-request.js';
export type { SearchDocument, Snippet };

/** Bytes of a segment that are written here rather than in a worker. */
const shortFile = 64 * 1024;

/** The text index of a workspace. It ranks over the caller's reach; nothing else has any effect on an answer. */
export class SearchIndex {
  readonly #options: SearchOptions;
  readonly #analyst = new SearchWorker();
  readonly #merger = new SearchWorker();
  readonly #segmentSet: SegmentSet;
  /** The files of stored segments. */
  readonly #files = new WeakMap<Segment, string>();
  #saving: Promise<void> = Promise.resolve();
  #commit: string | null = null;
  /** Documents that came in without their texts, because of a fault. */
  #leftOut = 0;
  #dropped: Error | null = null;
  /** The rebuild or revision under way. */
  readonly #backfill: Backfill;
  /** The vectors for new documents' directions. */
  #vectors: WordVectors | null = null;
  #languages: Languages;
  #analysis = analysisVersion;
  /** The vectors of all documents' directions; null where some documents have none. */
  #madeWith: string | null = null;

  private constructor(options: SearchOptions) {
    this.#options = options;
    this.#languages = options.languages ?? english;
    this.#segmentSet = new SegmentSet(
      this.#merger,
      options.report ?? (() => undefined),
      options.firstTier ?? defaultFirstTier,
    );
    this.#backfill = new Backfill(this.#segmentSet);
  }

  /** An empty index, whatever is stored; `save` replaces the stored one by it. */
  static create(options: SearchOptions): SearchIndex {
    return new SearchIndex(options);
  }

  /**
   * Loads the stored index. An index that can't be trusted is deleted and reported in `dropped`: the index is empty
   * then.
   */
  static open(options: SearchOptions): SearchIndex {
    const index = new SearchIndex(options);
    if (options.folder !== null) index.#load(options.folder);
    return index;
  }

  /** The commit of the index; null when it has to be built. */
  get commit(): string | null {
    return this.#commit;
  }

  /**
   * A document's text is missing. The index answers, but once it is stored and opened again, it has to be built.
   * @returns how many texts are missing
   */
  noteLeftOut(): number {
    return (this.#leftOut += 1);
  }

  /** The languages in which all its documents are analysed, and queries read. */
  get languages(): Languages {
    return this.#languages;
  }

  /** Whether another version of the program analysed its documents: it answers, and a new one has to be made. */
  get isOutdated(): boolean {
    return this.#analysis !== analysisVersion;
  }

  /** Why a stored index was refused. */
  get dropped(): Error | null {
    return this.#dropped;
  }

  /**
   * Sets the vectors for meaning, or null for text alone. They have effect at once where the index was made with them.
   * Otherwise documents have to be revised for them, and meaning is left out until they are.
   * @returns whether a revision is due: `startRevision`, `revise`, `endRevision`
   */
  useVectors(vectors: WordVectors | null): boolean {
    this.#vectors = vectors;
    this.#segmentSet.keepsDirections = vectors !== null;
    if (vectors === null) this.#segmentSet.dropDirections();
    if (this.#madeWith === (vectors?.name ?? null)) return false;
    this.#madeWith = null;
    return vectors !== null;
  }

  /** Whether meaning counts, besides text. The vectors know English words alone. */
  get ranksByMeaning(): boolean {
    return this.#vectors !== null && this.#vectors.name === this.#madeWith && this.#languages.codes.includes('en');
  }

  /** From now on commits win over revised documents. */
  startRevision(): void {
    this.#backfill.start();
  }

  /**
   * Replaces documents by their new analysis; documents written meanwhile stay.
   * @param leftOut keys of further documents that stay
   */
  revise(documents: SearchUpsert, leftOut?: ReadonlySet<number>): void {
    this.#backfill.take(documents, 'replace', leftOut);
  }

  /** Every document has been revised: meaning counts from now on. */
  endRevision(): void {
    this.#backfill.end();
    this.#madeWith = this.#vectors?.name ?? null;
  }

  /** Analyses documents; the work is in proportion to their text. Longer ones belong in a worker. */
  analyze(...documents: readonly SearchDocument[]): Analysis {
    const reading = this.#reading;
    return toAnalysis(writeSegment(documents.map((document) => analyzeDocument(document, reading))));
  }

  /** Like `analyze`, in a worker, so that other work does not wait. */
  async analyzeInWorker(documents: readonly SearchDocument[]): Promise<Analysis> {
    return toAnalysis(await this.#analyst.analyze(documents, this.#reading));
  }

  /** Follows a commit. Returns at once; the next search sees it. */
  apply({ commit, removals = [], renames = [], upserts = [], relabels = [] }: SearchBatch): void {
    for (const location of removals) this.#remove(this.#segmentSet.findLocation(location));
    for (const { from, to } of renames) this.#rename(from, to);
    for (const { analysis, keys } of upserts) this.#put(analysis, keys);
    for (const { location, labels } of relabels) this.#relabel(location, labels);
    this.#commit = commit;
    this.#segmentSet.tidy();
  }

  /** Labels of the documents that have any, by their keys. */
  readLabels(): Map<number, string[]> {
    return this.#segmentSet.readLabels();
  }

  /** Documents that are no texts, by their keys, and whether words of a text of theirs are in it. */
  files(): ReturnType<SegmentSet['files']> {
    return this.#segmentSet.files();
  }

  /** Locations of the documents with keys above `after` and up to `upTo`, by their keys. */
  placesBetween(after: number, upTo: number): Map<number, Location> {
    return this.#segmentSet.placesBetween(after, upTo);
  }

  /** Empties the index, to be filled again, in other languages perhaps, while commits go on. */
  startRebuild(languages: Languages = this.#languages): void {
    this.#languages = languages;
    this.#analysis = analysisVersion;
    this.#segmentSet.clear();
    this.#commit = null;
    this.#leftOut = 0;
    this.#backfill.start();
  }

  /**
   * Adds documents that existed before the rebuild began; documents named by a later commit are left alone. Locations
   * are those of this moment.
   * @param leftOut keys of documents not to add
   */
  backfill(documents: SearchUpsert, leftOut?: ReadonlySet<number>): void {
    this.#backfill.take(documents, 'add', leftOut);
  }

  /** The index is whole again, and of the commit given. */
  endRebuild(commit: string): void {
    this.#backfill.end();
    this.#commit = commit;
    this.#madeWith = this.#vectors?.name ?? null;
  }

  /**
   * One page of hits, best first.
   * @throws Refusal INVALID_REQUEST `query_too_long` or `query_too_complex`; `bad_cursor` for a position from before
   * the index was made in another way
   */
  search(request: SearchRequest): Promise<SearchPage> {
    return runSearch(this.#searched, request);
  }

  /**
   * For words of a query that nothing in reach has, but for a slip of the pen: a document with the likeliest word, at most
   * three, each with the query that finds the word in it.
   */
  suggest(request: SearchRequest): Promise<readonly Suggestion[]> {
    return runSuggest(this.#searched, request);
  }

  /** The snippet of a text document that a search found. @param query as the search has read it */
  async snippet(location: Location, text: string, query: Query, found?: FoundPlace): Promise<Snippet> {
    return runCooperatively(makeSnippet(location, text, query, this.#languages, found));
  }

  /** Stores the index as it is in the moment of the call; a crash meanwhile leaves the one stored before. */
  save(): Promise<void> {
    const { folder } = this.#options;
    if (folder === null) return Promise.resolve();
    const commit = this.#leftOut > 0 ? null : this.#commit;
    const index = { commit, vectors: this.#madeWith, languages: this.#languages.codes, analysis: this.#analysis };
    const states = this.#segmentSet.segments.map(({ segment, state }) => ({ segment, state }));
    const saving = this.#saving.then(() => this.#store(folder, index, states));
    this.#saving = saving.catch(() => undefined);
    return saving;
  }

  /**
   * Expels an erased document: when it returns, memory holds no word that only it had, nor does any file after the next
   * save.
   */
  async expel(key: number): Promise<void> {
    this.#backfill.touch(key);
    await this.#segmentSet.expel(key);
    forgetStems();
    forgetLanguages();
    await Promise.all([this.#analyst.forgetWords(), this.#merger.forgetWords()]);
  }

  /** Returns when nothing is left to merge. */
  settle(): Promise<void> {
    return this.#segmentSet.settle();
  }

  /** Ends the workers; does not save. */
  async close(): Promise<void> {
    await this.settle();
    await this.#saving;
    await Promise.all([this.#analyst.close(), this.#merger.close()]);
  }

  get #searched(): Searched {
    return {
      segmentSet: this.#segmentSet,
      languages: this.#languages,
      analysis: this.#analysis,
      vectors: this.ranksByMeaning ? this.#vectors : null,
      readText: this.#options.readText,
    };
  }

  get #reading(): Reading {
    return { languages: this.#languages, vectors: this.#vectors, chunkLengths: this.#options.chunkLengths };
  }

  #remove(place: SegmentPlace | undefined): void {
    if (place === undefined) return;
    this.#backfill.touch(keyAt(place));
    this.#segmentSet.delete(place);
  }

  #rename(from: Location, to: Location): void {
    const place = this.#segmentSet.findLocation(from);
    const document = place === undefined || nameOf(from) === nameOf(to) ? undefined : extract(place);
    if (place !== undefined && document !== undefined) this.#segmentSet.delete(place);
    this.#segmentSet.rename(from, to);
    if (place === undefined || document === undefined) return;
    this.#addAgain(place, renameAnalyzed(document, to, this.#languages));
  }

  #relabel(location: Location, labels: readonly string[]): void {
    const place = this.#segmentSet.findLocation(location);
    if (place === undefined) return;
    const document = extract(place);
    this.#segmentSet.delete(place);
    this.#addAgain(place, relabelAnalyzed(document, labels, this.#languages));
  }

  #put({ segment, locations }: Analysis, keys: readonly number[]): void {
    if (keys.length !== locations.length) throw new Error('An analysis needs a key for each of its documents.');
    keys.forEach((key, index) => {
      this.#backfill.touch(key);
      const older = this.#segmentSet.findKey(key);
      if (older !== undefined) this.#segmentSet.delete(older);
      this.#remove(this.#segmentSet.findLocation(locations[index] as Location));
    });
    segment.assignKeys(keys);
    this.#segmentSet.add(new SegmentReader(segment));
  }

  /** @param place where it was until now */
  #addAgain(place: SegmentPlace, document: AnalyzedDocument): void {
    const segment = rewrite(place, document);
    segment.assignKeys([keyAt(place)]);
    this.#segmentSet.add(new SegmentReader(segment));
  }

  #load(folder: string): void {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      const stored = loadIndex(folder);
      if (stored === undefined) return;
      for (const { file, reader } of stored.segments) {
        this.#files.set(reader.segment, file);
        this.#segmentSet.add(reader);
      }
      this.#commit = stored.commit;
      this.#madeWith = stored.vectors;
      this.#languages = openLanguages(stored.languages);
      this.#analysis = stored.analysis;
      this.#segmentSet.keepsDirections = stored.vectors !== null;
    } catch (error) {
      this.#dropped = error as Error;
      this.#segmentSet.clear();
      dropFiles(folder);
    }
  }

  async #store(
    folder: string,
    index: IndexState,
    states: readonly { readonly segment: Segment; readonly state: SegmentState }[],
  ): Promise<void> {
    const segments = [];
    for (const { segment, state } of states) {
      // The thread of a worker takes longer to start than a short file to write.
      const store = segment.buffer.byteLength <= shortFile ? storeSegment : this.#merger.store.bind(this.#merger);
      const file = this.#files.get(segment) ?? (await store(folder, segment));
      this.#files.set(segment, file);
      segments.push({ file, ...state });
    }
    await storeManifest(folder, index, segments);
  }
}
