import type { CutTerm, ReachedSegment } from '../segments/cut-postings.js';
import { fieldCount, fieldNames } from '../segments/posting.js';
import { addLengths, type Statistics } from './weigh.js';

/** Exact whole numbers over the intervals, without deleted documents. */
export function gatherStatistics(reached: readonly ReachedSegment[], terms: readonly CutTerm[]): Statistics {
  let documents = 0;
  const lengths = fieldNames.map(() => 0);
  for (const { reader, intervals } of reached) {
    const { sums, lengths: own } = reader.segment;
    for (let index = 0; index < intervals.length; index += 2) {
      const start = intervals[index] ?? 0;
      const end = intervals[index + 1] ?? 0;
      documents += end - start;
      addLengths(lengths, sums, end * fieldCount, 1);
      addLengths(lengths, sums, start * fieldCount, -1);
      if (reader.dead === 0) continue;
      for (let ordinal = start; ordinal < end; ordinal += 1) {
        if (reader.tombstones[ordinal >>> 5] === 0) ordinal |= 31;
        else if (reader.isDead(ordinal)) {
          documents -= 1;
          addLengths(lengths, own, ordinal * fieldCount, -1);
        }
      }
    }
  }
  return { documents, lengths, frequencies: terms.map(({ frequency }) => frequency) };
}
