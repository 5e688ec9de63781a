import type { Location } from '../../domain/location.js';
import { Reachable, type SearchReach } from '../reachable.js';
import type { ReachedSegment } from './cut-postings.js';
import type { SegmentReader } from './segment-reader.js';

/**
 * The segments as they are now, each with the entries in reach, the largest first: its hits soon show which others are
 * worth a look.
 * @param within the folder to which a search is narrowed
 */
export function reachSegments(
  segments: readonly SegmentReader[],
  reach: SearchReach,
  within: Location | undefined,
): ReachedSegment[] {
  const reachable = new Reachable(reach, within);
  const reached: ReachedSegment[] = [];
  for (const reader of segments) {
    const intervals = reachable.intervalsIn(reader.segment, reader.runs);
    if (intervals.length > 0) reached.push({ reader: reader.freeze(), intervals });
  }
  return reached.sort((a, b) => b.reader.segment.entries - a.reader.segment.entries);
}

/** Entries of the largest segment. @param reached the largest first */
export function countMost(reached: readonly ReachedSegment[]): number {
  return reached[0]?.reader.segment.entries ?? 0;
}
