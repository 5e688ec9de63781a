import type { Segment } from '../segments/segment.js';
import { compareDirections } from './word-vectors.js';

/** What the nearest meaning weighs against all words of the query, each at its most. */
export const meaningWeight = 0.1;
/** From which nearness on a document is found that has none of the query's words. */
export const minNearness = 0.6;

/** How near the nearest part of the document is to where the query points; 0 for one that is far off. */
export function measureNearness(meaning: Int8Array, { directions, directionStarts }: Segment, ordinal: number): number {
  const end = directionStarts[ordinal + 1] ?? 0;
  let nearest = 0;
  for (let at = directionStarts[ordinal] ?? 0; at < end; at += meaning.length) {
    const nearness = compareDirections(meaning, directions, at);
    if (nearness > nearest) nearest = nearness;
  }
  return nearest;
}
