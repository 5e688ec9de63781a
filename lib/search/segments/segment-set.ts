import type { Location } from '../../domain/location.js';
import { chooseInlineMerge, chooseMerge } from './choose-merge.js';
import { SegmentReader } from './segment-reader.js';
import { mergeSegments } from './merge-segments.js';
import type { SearchWorker } from '../search-worker.js';
import type { Segment } from './segment.js';
import { binaryFlag, labelMark, type AnalyzedDocument } from '../analysis/analyze-document.js';
import { fieldCount, ordinalShift } from './posting.js';
import { replaceHead } from './replace-head.js';
import { extractDocument, writeSegment } from './write-segment.js';

/** A change of segments during a worker's merge, to be repeated on the result. */
type Change =
  | { readonly type: 'delete'; readonly reader: SegmentReader; readonly key: number }
  | { readonly type: 'rename'; readonly from: Location; readonly to: Location };

/** Where a live document is. */
export interface SegmentPlace {
  readonly reader: SegmentReader;
  readonly ordinal: number;
}

/**
 * The segments of the index, and their merging: small ones at once, large ones in a worker. Invariant: a key, and a
 * location, belongs to at most one live document.
 */
export class SegmentSet {
  #segments: readonly SegmentReader[] = [];
  #version = 0;
  #clearings = 0;
  readonly #worker: SearchWorker;
  readonly #report: (error: Error) => void;
  readonly #firstTier: number;
  /** The segments that the worker is merging, and the changes meanwhile. */
  #merging: readonly SegmentReader[] = [];
  #changes: Change[] = [];
  /** Work in the background, one piece after the other. */
  #background: Promise<void> = Promise.resolve();
  #isScheduled = false;
  /** Whether merging keeps the directions of texts. */
  keepsDirections = false;

  constructor(worker: SearchWorker, report: (error: Error) => void, firstTier: number) {
    this.#worker = worker;
    this.#report = report;
    this.#firstTier = firstTier;
  }

  get segments(): readonly SegmentReader[] {
    return this.#segments;
  }

  /** A new number after any change that a search could see. */
  get version(): number {
    return this.#version;
  }

  findKey(key: number): SegmentPlace | undefined {
    for (const reader of this.#segments) {
      const ordinal = reader.findKey(key);
      if (ordinal >= 0) return { reader, ordinal };
    }
    return undefined;
  }

  findLocation(location: Location): SegmentPlace | undefined {
    for (const reader of this.#segments) {
      const ordinal = reader.findLocation(location);
      if (ordinal >= 0) return { reader, ordinal };
    }
    return undefined;
  }

  /** The locations of the live documents with keys above `after` and up to `upTo`, by their keys. */
  placesBetween(after: number, upTo: number): Map<number, Location> {
    const places = new Map<number, Location>();
    for (const reader of this.#segments) {
      const { keys, keyOrder } = reader.segment;
      for (let at = reader.segment.firstKey(after + 1); at < keyOrder.length; at += 1) {
        const ordinal = keyOrder[at] ?? 0;
        const key = keys[ordinal] ?? 0;
        if (key > upTo) break;
        if (!reader.segment.isChunk(ordinal) && !reader.isDead(ordinal)) places.set(key, reader.locationOf(ordinal));
      }
    }
    return places;
  }

  /** The labels of live documents, in order, by the documents' keys. */
  readLabels(): Map<number, string[]> {
    const labels = new Map<number, string[]>();
    const mark = Buffer.from(labelMark);
    for (const reader of this.#segments) {
      const { segment } = reader;
      // The mark sorts before every first character of a word.
      for (let term = segment.firstTerm(mark); term < segment.terms; term += 1) {
        const name = segment.termAt(term);
        if (!name.startsWith(labelMark)) break;
        const end = segment.postingStarts[term + 1] ?? 0;
        for (let at = segment.postingStarts[term] ?? 0; at < end; at += 1) {
          const ordinal = (segment.postings[at] ?? 0) >>> ordinalShift;
          if (reader.isDead(ordinal)) continue;
          const key = segment.keys[ordinal] ?? 0;
          labels.set(key, [...(labels.get(key) ?? []), name.slice(labelMark.length)]);
        }
      }
    }
    for (const each of labels.values()) each.sort();
    return labels;
  }

  /** Live documents that are no texts, and whether words of a text of theirs are in the index. */
  *files(): Generator<{ readonly number: number; readonly hasText: boolean }, void> {
    for (const reader of this.#segments) {
      const { segment } = reader;
      for (const ordinal of segment.documents()) {
        const isFile = ((segment.flags[ordinal] ?? 0) & binaryFlag) !== 0;
        const hasText = segment.isHead(ordinal) || segment.lengths[ordinal * fieldCount] !== 0;
        if (isFile && !reader.isDead(ordinal)) yield { number: segment.keys[ordinal] ?? 0, hasText };
      }
    }
  }

  delete({ reader, ordinal }: SegmentPlace): void {
    this.#version += 1;
    reader.delete(ordinal);
    if (this.#merging.includes(reader)) {
      this.#changes.push({ type: 'delete', reader, key: reader.segment.keys[ordinal] ?? 0 });
    }
    if (reader.isEmpty) this.#segments = this.#segments.filter((other) => other !== reader);
  }

  rename(from: Location, to: Location): void {
    this.#version += 1;
    for (const reader of this.#segments) reader.rename(from, to);
    if (this.#merging.length > 0) this.#changes.push({ type: 'rename', from, to });
  }

  add(reader: SegmentReader): void {
    if (!reader.isEmpty) this.#segments = [...this.#segments, reader];
  }

  /** A worker's merge is dropped when it is done. */
  clear(): void {
    this.#version += 1;
    this.#clearings += 1;
    this.#segments = [];
  }

  /** Merges small segments now and lets the worker begin on large ones. */
  tidy(): void {
    const free = this.#segments.filter((reader) => !this.#merging.includes(reader));
    const small = chooseInlineMerge(free, this.#firstTier);
    if (small.length > 0) this.#replace(small, mergeSegments(small, this.keepsDirections));
    if (this.#isScheduled || chooseMerge(this.#segments, this.#firstTier).length === 0) return;
    this.#isScheduled = true;
    void this.#run(() => this.#mergeAll()).catch(this.#report);
  }

  /** Writes every segment again that holds the document, deleted copies included. Then no segment holds its words. */
  async expel(key: number): Promise<void> {
    const place = this.findKey(key);
    if (place !== undefined) this.delete(place);
    await this.#run(async () => {
      for (const reader of this.#segments.filter(({ segment }) => segment.findKey(key) >= 0)) {
        // A segment merged into another one meanwhile lost its deleted documents there.
        if (this.#segments.includes(reader)) await this.#mergeApart([reader]);
      }
    });
  }

  /** Writes every segment with directions again, in the background; without them, unless they are to be kept. */
  dropDirections(): void {
    void this.#run(async () => {
      for (const reader of this.#segments.filter(({ segment }) => segment.directions.length > 0)) {
        if (this.#segments.includes(reader) && !this.keepsDirections) await this.#mergeApart([reader]);
      }
    }).catch(this.#report);
  }

  /** Returns when nothing is left to merge. */
  async settle(): Promise<void> {
    let seen: Promise<void> | undefined;
    while (seen !== this.#background) {
      seen = this.#background;
      await seen;
    }
  }

  #run(work: () => Promise<void>): Promise<void> {
    const running = this.#background.then(work);
    this.#background = running.catch(() => undefined);
    return running;
  }

  async #mergeAll(): Promise<void> {
    try {
      for (
        let chosen = chooseMerge(this.#segments, this.#firstTier);
        chosen.length > 0;
        chosen = chooseMerge(this.#segments, this.#firstTier)
      ) {
        await this.#mergeApart(chosen);
      }
    } finally {
      this.#isScheduled = false;
    }
  }

  /** Merges in the worker, unless that takes less time than the start of its thread. */
  async #mergeApart(chosen: readonly SegmentReader[]): Promise<void> {
    const bytes = chosen.reduce((sum, { segment }) => sum + segment.buffer.byteLength, 0);
    if (bytes < this.#firstTier) this.#replace(chosen, mergeSegments(chosen, this.keepsDirections));
    else await this.#mergeInWorker(chosen);
  }

  async #mergeInWorker(chosen: readonly SegmentReader[]): Promise<void> {
    this.#merging = chosen;
    this.#changes = [];
    const clearings = this.#clearings;
    try {
      const inputs = chosen.map((reader) => ({ segment: reader.segment, ...reader.state }));
      const merged = await this.#worker.merge(inputs, this.keepsDirections);
      if (clearings === this.#clearings) this.#replace(chosen, merged, this.#changes);
    } finally {
      this.#merging = [];
      this.#changes = [];
    }
  }

  #replace(old: readonly SegmentReader[], segment: Segment, changes: readonly Change[] = []): void {
    const merged = new SegmentReader(segment);
    for (const change of changes) {
      if (change.type === 'rename') merged.rename(change.from, change.to);
      else merged.delete(segment.findKey(change.key));
    }
    this.#segments = this.#segments.filter((reader) => !old.includes(reader));
    this.add(merged);
  }
}

/** The document's key. */
export function keyAt({ reader, ordinal }: SegmentPlace): number {
  return reader.segment.keys[ordinal] ?? 0;
}

/** The document as the index has it, at its current location; a long one without its chunks. */
export function extract({ reader, ordinal }: SegmentPlace): AnalyzedDocument {
  return { ...extractDocument(reader.segment, ordinal), location: reader.locationOf(ordinal) };
}

/** A segment of the document alone as it is now. @param place where it was; a long one has its chunks from there */
export function rewrite({ reader, ordinal }: SegmentPlace, document: AnalyzedDocument): Segment {
  const { segment } = reader;
  return segment.isHead(ordinal) ? replaceHead(segment, ordinal, document) : writeSegment([document]);
}
