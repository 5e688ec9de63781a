import type { Span } from '../analysis/shown-text.js';
import { countsOf, bodyField, ordinalShift } from '../segments/posting.js';
import type { Segment } from '../segments/segment.js';
import { firstPosting } from '../segments/write-segment.js';
import { usualChunks } from '../analysis/cut-chunks.js';
import type { QueryTerm } from './parse-query.js';

/** Terms of a phrase that narrow its windows; the text decides about the others. */
const maxTerms = 31;
/** Characters on either side of a chunk's end that are read for a phrase that goes across it. */
const overlap = 2048;

/**
 * Where in a long text a phrase can stand: in the first chunk, which may hold the title, in the chunks with all of its
 * terms, and across the end of one where two neighbours have all of them. A phrase without terms can stand in any.
 * @param head the ordinal of the document
 * @returns in order; null where the whole text is to be read
 */
export function findWindows(segment: Segment, head: number, terms: readonly QueryTerm[]): Span[] | null {
  if (!segment.isHead(head)) return null;
  const alternatives = terms.slice(0, maxTerms).map((term) => (term.type === 'any' ? term.terms : [termOf(term)]));
  const chunks = segment.chunkStarts.subarray(head + 1, segment.endOf(head));
  const masks = new Uint32Array(chunks.length);
  const inBody = countsOf(bodyField);
  alternatives.forEach((stems, bit) => {
    for (const stem of stems) {
      const term = segment.findTerm(Buffer.from(stem));
      if (term < 0) continue;
      const last = segment.postingStarts[term + 1] ?? 0;
      for (
        let at = firstPosting(segment.postings, head + 1, segment.postingStarts[term] ?? 0, last);
        at < last;
        at += 1
      ) {
        const posting = segment.postings[at] ?? 0;
        const chunk = (posting >>> ordinalShift) - head - 1;
        if (chunk >= chunks.length) break;
        if ((posting & inBody) !== 0) masks[chunk] = (masks[chunk] ?? 0) | (1 << bit);
      }
    }
  });
  return windowsOf(chunks, masks, (2 ** alternatives.length - 1) >>> 0);
}

function termOf(term: QueryTerm): string {
  return term.type === 'exact' ? term.term : '';
}

/** No longer than a chunk each, because the one with the phrase is where the snippet comes from. */
function windowsOf(chunks: Uint32Array, masks: Uint32Array, all: number): Span[] {
  const windows: Span[] = [{ start: 0, end: usualChunks.whole }];
  chunks.forEach((start, index) => {
    const mask = masks[index] ?? 0;
    const next = chunks[index + 1];
    const end = Math.min(next ?? Number.POSITIVE_INFINITY, start + usualChunks.whole);
    if (mask === all && start > 0) windows.push({ start, end });
    if (next === undefined || (mask | (masks[index + 1] ?? 0)) >>> 0 !== all) return;
    windows.push({ start: Math.max(start, end - overlap), end: end + overlap });
  });
  return windows;
}
