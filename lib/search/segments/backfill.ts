import { SegmentReader } from './segment-reader.js';
import type { SearchUpsert } from './search-batch.js';
import type { SegmentSet } from './segment-set.js';

/**
 * Work on the whole index while commits go on. Documents come in batch by batch, as they were when they were read.
 * Documents named by a commit since it began are newer, and win.
 */
export class Backfill {
  readonly #segmentSet: SegmentSet;
  /** Keys named by commits since it began; null while there is none. */
  #touched: Set<number> | null = null;

  constructor(segmentSet: SegmentSet) {
    this.#segmentSet = segmentSet;
  }

  start(): void {
    this.#touched = new Set();
  }

  end(): void {
    this.#touched = null;
  }

  /** Records that a commit names a document. */
  touch(key: number): void {
    this.#touched?.add(key);
  }

  /**
   * Adds or replaces documents.
   * @param manner `add` the missing ones, for a rebuild; `replace` the existing ones, for a revision
   * @param leftOut keys of documents to leave alone
   */
  take({ analysis, keys }: SearchUpsert, manner: 'add' | 'replace', leftOut?: ReadonlySet<number>): void {
    analysis.segment.assignKeys(keys);
    const reader = new SegmentReader(analysis.segment);
    const ordinals = [...analysis.segment.documents()];
    keys.forEach((key, place) => {
      const isNewer = this.#touched?.has(key) || leftOut?.has(key);
      const older = this.#segmentSet.findKey(key);
      const isWanted = manner === 'add' ? older === undefined : older !== undefined;
      if (isNewer || !isWanted) reader.delete(ordinals[place] ?? 0);
      else if (older !== undefined) this.#segmentSet.delete(older);
    });
    this.#segmentSet.add(reader);
    this.#segmentSet.tidy();
  }
}
