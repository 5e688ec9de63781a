import { SegmentReader } from './segment-reader.js';
import type { SearchUpsert } from './search-batch.js';
import type { SegmentSet } from './segment-set.js';

/**
 * Work on the whole index while commits go on: documents come in batch by batch, as they were when they were read, and
 * whatever a commit has named since it began is newer than they are.
 */
export class Backfill {
  readonly #segmentSet: SegmentSet;
  /** Keys that commits named since it began; null while there is none. */
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

  /** A commit names a document. */
  touch(key: number): void {
    this.#touched?.add(key);
  }

  /**
   * Brings documents in.
   * @param manner `add` those that are not there, for a rebuild; `replace` those that are, for a revision
   * @param leftOut keys of those that are not to be brought in
   */
  take({ analysis, keys }: SearchUpsert, manner: 'add' | 'replace', leftOut?: ReadonlySet<number>): void {
    analysis.segment.assignKeys(keys);
    const reader = new SegmentReader(analysis.segment);
    keys.forEach((key, ordinal) => {
      const isNewer = this.#touched?.has(key) || leftOut?.has(key);
      const older = this.#segmentSet.findKey(key);
      const isWanted = manner === 'add' ? older === undefined : older !== undefined;
      if (isNewer || !isWanted) reader.delete(ordinal);
      else if (older !== undefined) this.#segmentSet.delete(older);
    });
    this.#segmentSet.add(reader);
    this.#segmentSet.tidy();
  }
}
