import { isWithin, rebase, rootLocation, type Location } from '../../domain/location.js';
import { compareBytes, type Segment } from './segment.js';

/**
 * A range of a segment's ordinals whose documents were renamed or moved since it was written: locations at or below
 * `from` are now at or below `to`. Where nothing moved, both are the root. The ranges of a segment follow each other
 * without gaps; within one, ordinals are in the order of locations.
 */
export interface RenamedRange {
  readonly start: number;
  readonly end: number;
  readonly from: Location;
  readonly to: Location;
}

/** The one range of a segment without renames. */
export function runOfAll(entries: number): RenamedRange {
  return { start: 0, end: entries, from: rootLocation, to: rootLocation };
}

export function isUnmoved(run: RenamedRange): boolean {
  return run.from === run.to;
}

/** The range of an ordinal of the segment. */
export function runAt(runs: readonly RenamedRange[], ordinal: number): RenamedRange {
  return runs[placeOfRun(runs, ordinal)] as RenamedRange;
}

/** The ranges with an ordinal in [start, end), in order. */
export function* runsBetween(runs: readonly RenamedRange[], start: number, end: number): Generator<RenamedRange> {
  if (start >= end) return;
  for (let at = placeOfRun(runs, start); (runs[at]?.start ?? end) < end; at += 1) yield runs[at] as RenamedRange;
}

function placeOfRun(runs: readonly RenamedRange[], ordinal: number): number {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle]?.end ?? 0) <= ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the document is now. */
export function locationIn(segment: Segment, runs: readonly RenamedRange[], ordinal: number): Location {
  const run = runAt(runs, ordinal);
  const written = segment.locationAt(ordinal);
  return isUnmoved(run) ? written : rebase(written, run.from, run.to);
}

/** Orders two documents by where they are now (UTF-8 bytes), without making strings where nothing moved. */
export function compareLocations(
  a: { readonly segment: Segment; readonly runs: readonly RenamedRange[] },
  aOrdinal: number,
  b: { readonly segment: Segment; readonly runs: readonly RenamedRange[] },
  bOrdinal: number,
): number {
  const aRun = runAt(a.runs, aOrdinal);
  const bRun = runAt(b.runs, bOrdinal);
  if (aRun === bRun) return aOrdinal - bOrdinal;
  if (isUnmoved(aRun) && isUnmoved(bRun)) {
    const [aStarts, bStarts] = [a.segment.locationStarts, b.segment.locationStarts];
    return compareBytes(
      a.segment.locationBytes,
      aStarts[aOrdinal] ?? 0,
      aStarts[aOrdinal + 1] ?? 0,
      b.segment.locationBytes,
      bStarts[bOrdinal] ?? 0,
      bStarts[bOrdinal + 1] ?? 0,
    );
  }
  const left = Buffer.from(locationIn(a.segment, a.runs, aOrdinal));
  const right = Buffer.from(locationIn(b.segment, b.runs, bOrdinal));
  return Buffer.compare(left, right);
}

/** Renames `from` to `to` from now on; its ordinals become ranges of their own. */
export function renameRanges(
  segment: Segment,
  runs: readonly RenamedRange[],
  from: Location,
  to: Location,
): readonly RenamedRange[] {
  const renamed: RenamedRange[] = [];
  for (const run of runs) {
    if (!isUnmoved(run) && isWithin(from, run.to)) renamed.push(settle({ ...run, to: rebase(run.to, from, to) }));
    else if (!isWithin(run.to, from)) renamed.push(run);
    else {
      const written = rebase(from, run.to, run.from);
      renamed.push(...splitRun(run, rangesAt(segment, written, run.start, run.end), written, to));
    }
  }
  return renamed;
}

/** A range back at its written location is not renamed. */
function settle(run: RenamedRange): RenamedRange {
  return isUnmoved(run) ? { ...run, from: rootLocation, to: rootLocation } : run;
}

/** Ranges of ordinals written at exactly the location, and below it. */
function rangesAt(segment: Segment, location: Location, start: number, end: number): [number, number][] {
  const ranges: [number, number][] = [];
  const exact = segment.findLocation(Buffer.from(location), start, end);
  if (exact >= 0) ranges.push([exact, segment.endOf(exact)]);
  const [low, high] = rangeBelow(segment, location, start, end);
  if (low < high) ranges.push([low, high]);
  return ranges;
}

/** The range of ordinals written below the folder. */
export function rangeBelow(segment: Segment, folder: Location, start: number, end: number): [number, number] {
  if (folder === rootLocation) return [start, end];
  const low = segment.firstLocation(Buffer.from(`${folder}/`), start, end);
  // `0` follows `/` in UTF-8: nothing lies between the last document below the folder and this.
  return [low, segment.firstLocation(Buffer.from(`${folder}0`), low, end)];
}

function splitRun(run: RenamedRange, ranges: [number, number][], from: Location, to: Location): RenamedRange[] {
  const pieces: RenamedRange[] = [];
  let start = run.start;
  for (const [low, high] of ranges) {
    if (start < low) pieces.push({ ...run, start, end: low });
    pieces.push(settle({ start: low, end: high, from, to }));
    start = high;
  }
  if (start < run.end) pieces.push({ ...run, start });
  return pieces;
}
