import type { SegmentReader } from './segment-reader.js';
import { maxEntries } from './posting.js';

/** Bytes up to which a segment is of the first tier; each further tier holds eight times as much. */
export const defaultFirstTier = 32 * 1024;
const ratio = 8;
/** Segments of the first tier that are merged at once, within the commit that adds the last of them. */
const maxOfFirstTier = 16;
/** Most segments of the second tier that wait for the worker. */
const maxWaiting = 32;
const maxBytes = 1024 ** 3;
const maxRuns = 256;

function tierOf({ segment }: SegmentReader, firstTier: number): number {
  let tier = 0;
  for (let size = firstTier; segment.buffer.byteLength >= size; size *= ratio) tier += 1;
  return tier;
}

/** Small segments to merge at once, which takes a few milliseconds; none mostly. */
export function chooseInlineMerge(segments: readonly SegmentReader[], firstTier: number): readonly SegmentReader[] {
  const tiers = segments.map((reader) => tierOf(reader, firstTier));
  const first = segments.filter((_, index) => tiers[index] === 0);
  if (first.length >= maxOfFirstTier) return first;
  const second = segments.filter((_, index) => tiers[index] === 1);
  return second.length > maxWaiting ? second.slice(0, ratio / 2) : [];
}

/** Segments for a worker to merge: eight of a size, or one with mostly deleted documents or many renames. */
export function chooseMerge(segments: readonly SegmentReader[], firstTier: number): readonly SegmentReader[] {
  const tiers = new Map<number, SegmentReader[]>();
  for (const reader of segments) {
    const tier = tierOf(reader, firstTier);
    if (tier === 0) continue;
    const isWorn = 2 * reader.dead > reader.segment.entries || reader.runs.length > maxRuns;
    if (isWorn) return [reader];
    tiers.set(tier, [...(tiers.get(tier) ?? []), reader]);
  }
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const alike = (tiers.get(tier) ?? []).slice(0, 2 * ratio);
    const entries = alike.reduce((sum, { segment, dead }) => sum + segment.entries - dead, 0);
    const bytes = alike.reduce((sum, { segment }) => sum + segment.buffer.byteLength, 0);
    if (alike.length >= ratio && entries <= maxEntries && bytes <= maxBytes) return alike;
  }
  return [];
}
