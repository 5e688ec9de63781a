import { isWithin, rebase, rootLocation, type Location } from '../domain/location.js';
import { isUnmoved, locationIn, rangeBelow, type RenamedRange } from './segments/renamed-range.js';
import type { Segment } from './segments/segment.js';

/** The reach of a search: everything, or the content of some folders, and some documents. */
export interface SearchReach {
  readonly everything: boolean;
  readonly folders: readonly Location[];
  readonly documents: readonly Location[];
}

/** Ranges [start, end) of ordinals, one after the other in one list; in order, none touching the next. */
export type Intervals = readonly number[];

/** Works on one request's reach, segment after segment. */
export class Reachable {
  readonly #everything: boolean;
  readonly #folders: readonly Location[];
  readonly #documents: readonly Location[];
  readonly #folderSet: ReadonlySet<Location>;
  readonly #documentSet: ReadonlySet<Location>;

  /** @param within the folder to which a search is narrowed; documents outside count as out of reach */
  constructor(reach: SearchReach, within: Location = rootLocation) {
    const folders = new Set<Location>();
    for (const folder of reach.everything ? [rootLocation] : reach.folders) {
      if (isWithin(within, folder)) folders.add(folder);
      else if (isWithin(folder, within)) folders.add(within);
    }
    this.#everything = folders.has(rootLocation);
    this.#folders = [...folders].filter((folder) => !hasAncestorIn(folders, folder));
    this.#folderSet = new Set(this.#folders);
    this.#documents = this.#everything
      ? []
      : [...new Set(reach.documents)].filter((location) => location !== within && isWithin(within, location));
    this.#documentSet = new Set(this.#documents);
  }

  /**
   * The ordinals in the caller's reach. In a small segment each document is checked against the reach; for a small
   * reach each of its places is searched in the segment.
   */
  intervalsIn(segment: Segment, runs: readonly RenamedRange[]): Intervals {
    if (this.#everything) return [0, segment.entries];
    const ranges: [number, number][] = [];
    if (segment.entries <= 2 * (this.#folders.length + this.#documents.length)) {
      for (let ordinal = 0; ordinal < segment.entries; ordinal += 1) {
        if (this.#holds(locationIn(segment, runs, ordinal))) ranges.push([ordinal, ordinal + 1]);
      }
      return joinRanges(ranges);
    }
    for (const run of runs) {
      for (const folder of this.#folders) {
        if (!isUnmoved(run) && folder !== run.to && isWithin(folder, run.to)) ranges.push([run.start, run.end]);
        else if (isWithin(run.to, folder)) {
          ranges.push(rangeBelow(segment, rebase(folder, run.to, run.from), run.start, run.end));
        }
      }
      for (const document of this.#documents) {
        if (!isWithin(run.to, document)) continue;
        const written = Buffer.from(rebase(document, run.to, run.from));
        const ordinal = segment.findLocation(written, run.start, run.end);
        if (ordinal >= 0) ranges.push([ordinal, segment.endOf(ordinal)]);
      }
    }
    return joinRanges(ranges);
  }

  #holds(location: Location): boolean {
    return this.#documentSet.has(location) || hasAncestorIn(this.#folderSet, location);
  }
}

/** Whether a folder above the location, not itself, is in the set. */
function hasAncestorIn(folders: ReadonlySet<Location>, location: Location): boolean {
  if (folders.size === 0 || location === rootLocation) return false;
  if (folders.has(rootLocation)) return true;
  for (let slash = location.indexOf('/'); slash >= 0; slash = location.indexOf('/', slash + 1)) {
    if (folders.has(location.slice(0, slash) as Location)) return true;
  }
  return false;
}

/** @param ranges of ordinals in any order; some may touch or overlap */
export function joinRanges(ranges: [number, number][]): Intervals {
  const joined: number[] = [];
  for (const [start, end] of ranges.sort((a, b) => a[0] - b[0])) {
    if (start >= end) continue;
    const last = joined[joined.length - 1];
    if (last !== undefined && start <= last) joined[joined.length - 1] = Math.max(last, end);
    else joined.push(start, end);
  }
  return joined;
}
