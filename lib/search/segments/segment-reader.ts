import { isWithin, rebase, type Location } from '../../domain/location.js';
import { renameRanges, locationIn, runOfAll, type RenamedRange } from './renamed-range.js';
import type { Segment } from './segment.js';

/** The changes of a segment since it was written; plain data, so that it can be saved and sent. */
export interface SegmentState {
  /** One bit an ordinal: the document is gone, or a newer copy stands in another segment. */
  readonly tombstones: Uint32Array;
  readonly runs: readonly RenamedRange[];
}

/** A segment with its deletions and the moves of its documents. */
export class SegmentReader {
  readonly segment: Segment;
  readonly tombstones: Uint32Array;
  #dead = 0;
  #runs: readonly RenamedRange[];

  constructor(segment: Segment, state?: SegmentState) {
    this.segment = segment;
    this.tombstones = state?.tombstones ?? new Uint32Array((segment.entries + 31) >>> 5);
    this.#runs = state?.runs ?? [runOfAll(segment.entries)];
    for (let word of this.tombstones) for (; word !== 0; word &= word - 1) this.#dead += 1;
  }

  get runs(): readonly RenamedRange[] {
    return this.#runs;
  }

  /** How many entries are deleted. */
  get dead(): number {
    return this.#dead;
  }

  get isEmpty(): boolean {
    return this.#dead === this.segment.entries;
  }

  isDead(ordinal: number): boolean {
    return (((this.tombstones[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) === 1;
  }

  /** Deletes the document that begins at the ordinal. */
  delete(ordinal: number): void {
    if (this.isDead(ordinal)) return;
    const end = this.segment.endOf(ordinal);
    for (let entry = ordinal; entry < end; entry += 1) {
      this.tombstones[entry >>> 5] = (this.tombstones[entry >>> 5] ?? 0) | (1 << (entry & 31));
    }
    this.#dead += end - ordinal;
  }

  /** The live document with the key, or -1. */
  findKey(key: number): number {
    const ordinal = this.segment.findKey(key);
    return ordinal >= 0 && !this.isDead(ordinal) ? ordinal : -1;
  }

  /** The live document at exactly the location, or -1. */
  findLocation(location: Location): number {
    for (const run of this.#runs) {
      if (!isWithin(run.to, location)) continue;
      const written = Buffer.from(rebase(location, run.to, run.from));
      const ordinal = this.segment.findLocation(written, run.start, run.end);
      if (ordinal >= 0 && !this.isDead(ordinal)) return ordinal;
    }
    return -1;
  }

  locationOf(ordinal: number): Location {
    return locationIn(this.segment, this.#runs, ordinal);
  }

  rename(from: Location, to: Location): void {
    this.#runs = renameRanges(this.segment, this.#runs, from, to);
  }

  /** The same documents as they are now: later changes leave it alone. */
  freeze(): SegmentReader {
    return new SegmentReader(this.segment, this.state);
  }

  /** A copy that later changes leave alone. */
  get state(): SegmentState {
    return { tombstones: this.tombstones.slice(), runs: this.#runs };
  }
}
