import { binaryFlag } from '../analysis/analyze-document.js';
import { fieldCount } from './posting.js';
import type { SegmentReader } from './segment-reader.js';

/** The keys of live documents that are no texts, and of whose text nothing is in the index. */
export function* findFilesWithoutText(segments: readonly SegmentReader[]): Generator<number, void> {
  for (const reader of segments) {
    const { segment } = reader;
    for (const ordinal of segment.documents()) {
      const isFile = ((segment.flags[ordinal] ?? 0) & binaryFlag) !== 0;
      const hasText = segment.isHead(ordinal) || segment.lengths[ordinal * fieldCount] !== 0;
      if (isFile && !hasText && !reader.isDead(ordinal)) yield segment.keys[ordinal] ?? 0;
    }
  }
}
