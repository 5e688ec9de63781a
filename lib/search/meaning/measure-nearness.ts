import type { Segment } from '../segments/segment.js';
import { compareDirections } from './word-vectors.js';

/** The weight of the nearest meaning against all words of the query, each at its most. */
export const meaningWeight = 0.1;
/** The nearness from which a document without any of the query's words is found. */
export const minNearness = 0.6;

/** How near the nearest part of the document is to the query's direction; 0 for a distant one. */
export function measureNearness(meaning: Int8Array, { directions, directionStarts }: Segment, ordinal: number): number {
  const end = directionStarts[ordinal + 1] ?? 0;
  let nearest = 0;
  for (let at = directionStarts[ordinal] ?? 0; at < end; at += meaning.length) {
    const nearness = compareDirections(meaning, directions, at);
    if (nearness > nearest) nearest = nearness;
  }
  return nearest;
}
