import type { Location } from '../../domain/location.js';
import { chooseInlineMerge, chooseMerge } from './choose-merge.js';
import { LivingSegment } from './segment-reader.js';
import { mergeSegments } from './merge-segments.js';
import type { SearchWorker } from '../search-worker.js';
import type { Segment } from './segment.js';
import type { AnalyzedDocument } from '../analysis/analyze-document.js';
import { extractDocument } from './write-segment.js';

/** What happened to segments while a worker was merging them, to be done again to the result. */
type Change =
  | { readonly type: 'bury'; readonly living: LivingSegment; readonly key: number }
  | { readonly type: 'carry'; readonly from: Location; readonly to: Location };

/** Where a living document is. */
export interface ShelfPlace {
  readonly living: LivingSegment;
  readonly ordinal: number;
}

/**
 * The segments that make the index, and their merging: small ones at once, large ones in a worker.
 * Invariant: a key, and a location, belongs to at most one living document.
 */
export class Shelf {
  #segments: readonly LivingSegment[] = [];
  #version = 0;
  #clearings = 0;
  readonly #worker: SearchWorker;
  readonly #report: (error: Error) => void;
  readonly #firstTier: number;
  /** Those that the worker is merging, and what happened meanwhile. */
  #merging: readonly LivingSegment[] = [];
  #changes: Change[] = [];
  /** Work in the background, one piece after the other. */
  #background: Promise<void> = Promise.resolve();
  #isScheduled = false;
  /** Whether merging keeps what texts point to. */
  keepsDirections = false;

  constructor(worker: SearchWorker, report: (error: Error) => void, firstTier: number) {
    this.#worker = worker;
    this.#report = report;
    this.#firstTier = firstTier;
  }

  get segments(): readonly LivingSegment[] {
    return this.#segments;
  }

  /** Another number after whatever a search could see has changed. */
  get version(): number {
    return this.#version;
  }

  findKey(key: number): ShelfPlace | undefined {
    for (const living of this.#segments) {
      const ordinal = living.findKey(key);
      if (ordinal >= 0) return { living, ordinal };
    }
    return undefined;
  }

  findLocation(location: Location): ShelfPlace | undefined {
    for (const living of this.#segments) {
      const ordinal = living.findLocation(location);
      if (ordinal >= 0) return { living, ordinal };
    }
    return undefined;
  }

  bury({ living, ordinal }: ShelfPlace): void {
    this.#version += 1;
    living.bury(ordinal);
    if (this.#merging.includes(living)) {
      this.#changes.push({ type: 'bury', living, key: living.segment.keys[ordinal] ?? 0 });
    }
    if (living.isEmpty) this.#segments = this.#segments.filter((other) => other !== living);
  }

  carry(from: Location, to: Location): void {
    this.#version += 1;
    for (const living of this.#segments) living.carry(from, to);
    if (this.#merging.length > 0) this.#changes.push({ type: 'carry', from, to });
  }

  add(living: LivingSegment): void {
    if (!living.isEmpty) this.#segments = [...this.#segments, living];
  }

  /** What a worker is merging is dropped when it is done. */
  clear(): void {
    this.#version += 1;
    this.#clearings += 1;
    this.#segments = [];
  }

  /** Merges small segments now and lets the worker begin on large ones. */
  tidy(): void {
    const free = this.#segments.filter((living) => !this.#merging.includes(living));
    const small = chooseInlineMerge(free, this.#firstTier);
    if (small.length > 0) this.#replace(small, mergeSegments(small, this.keepsDirections));
    if (this.#isScheduled || chooseMerge(this.#segments, this.#firstTier).length === 0) return;
    this.#isScheduled = true;
    void this.#run(() => this.#mergeAll()).catch(this.#report);
  }

  /** Writes every segment anew that knows the document, dead copies too; its words are gone from the shelf then. */
  async expel(key: number): Promise<void> {
    const place = this.findKey(key);
    if (place !== undefined) this.bury(place);
    await this.#run(async () => {
      for (const living of this.#segments.filter(({ segment }) => segment.findKey(key) >= 0)) {
        // Those that went into another segment meanwhile left the dead behind.
        if (this.#segments.includes(living)) await this.#mergeInWorker([living]);
      }
    });
  }

  /** Writes every segment anew that has directions, in the background; without them, unless they are to be kept. */
  dropDirections(): void {
    void this.#run(async () => {
      for (const living of this.#segments.filter(({ segment }) => segment.directions.length > 0)) {
        if (this.#segments.includes(living) && !this.keepsDirections) await this.#mergeInWorker([living]);
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
        await this.#mergeInWorker(chosen);
      }
    } finally {
      this.#isScheduled = false;
    }
  }

  async #mergeInWorker(chosen: readonly LivingSegment[]): Promise<void> {
    this.#merging = chosen;
    this.#changes = [];
    const clearings = this.#clearings;
    try {
      const inputs = chosen.map((living) => ({ segment: living.segment, ...living.state }));
      const merged = await this.#worker.merge(inputs, this.keepsDirections);
      if (clearings === this.#clearings) this.#replace(chosen, merged, this.#changes);
    } finally {
      this.#merging = [];
      this.#changes = [];
    }
  }

  #replace(old: readonly LivingSegment[], segment: Segment, changes: readonly Change[] = []): void {
    const merged = new LivingSegment(segment);
    for (const change of changes) {
      if (change.type === 'carry') merged.carry(change.from, change.to);
      else merged.bury(segment.findKey(change.key));
    }
    this.#segments = this.#segments.filter((living) => !old.includes(living));
    this.add(merged);
  }
}

/** The document's key. */
export function keyAt({ living, ordinal }: ShelfPlace): number {
  return living.segment.keys[ordinal] ?? 0;
}

/** All that stands in the index about the document, at the place where it is now. */
export function extract({ living, ordinal }: ShelfPlace): AnalyzedDocument {
  return { ...extractDocument(living.segment, ordinal), location: living.locationOf(ordinal) };
}
