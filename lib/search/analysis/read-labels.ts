import { labelMark } from './analyze-document.js';
import type { SegmentReader } from '../segments/segment-reader.js';
import { ordinalShift } from '../segments/posting.js';

/** The labels of live documents, in order, by the documents' keys. */
export function readLabels(segments: readonly SegmentReader[]): Map<number, string[]> {
  const labels = new Map<number, string[]>();
  const mark = Buffer.from(labelMark);
  for (const reader of segments) {
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
