import { byteLength, compareText } from '../../domain/location.js';
import type { AnalyzedDocument } from '../analysis/analyze-document.js';
import { fieldCount, ordinalShift } from './posting.js';
import { chunkFlag, compareBytes, headFlag, Segment } from './segment.js';
import { firstPosting } from './write-segment.js';

/**
 * A segment of one long document: a new head, and the chunks that the document has in another segment. It copies the
 * chunks' postings as they are. Collected term by term, those of a long text would hold the event loop for a second.
 * @param ordinal of the document's present head
 * @param head its chunks are left aside
 */
export function replaceHead(from: Segment, ordinal: number, head: AnalyzedDocument): Segment {
  const end = from.endOf(ordinal);
  const terms = withHead(termsBetween(from, ordinal + 1, end), head.terms);
  const segment = Segment.allocate({
    entries: end - ordinal,
    terms: terms.length,
    postings: terms.reduce((sum, { start, end: last, ofHead }) => sum + last - start + (ofHead === 0 ? 0 : 1), 0),
    locationBytes: (end - ordinal) * byteLength(head.location),
    termBytes: terms.reduce((sum, { bytes }) => sum + bytes.length, 0),
    directionBytes: head.directions.length,
  });
  writeEntries(segment, head, from, ordinal);
  let byte = 0;
  let posting = 0;
  terms.forEach(({ bytes, start, end: last, ofHead }, index) => {
    segment.termBytes.set(bytes, byte);
    byte += bytes.length;
    segment.termStarts[index + 1] = byte;
    if (ofHead !== 0) {
      segment.postings[posting] = ofHead;
      posting += 1;
    }
    for (let at = start; at < last; at += 1, posting += 1) {
      segment.postings[posting] = (from.postings[at] ?? 0) - (ordinal << ordinalShift);
    }
    segment.postingStarts[index + 1] = posting;
  });
  return segment;
}

/** A term of the new segment: its postings of chunks in the old one, and its counts in the head; 0 for none. */
interface Term {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly ofHead: number;
}

/** The terms of the entries in [first, end), in order. */
function termsBetween(
  { terms, termBytes, termStarts, postings, postingStarts }: Segment,
  first: number,
  end: number,
): Term[] {
  const found: Term[] = [];
  for (let term = 0; term < terms; term += 1) {
    const last = postingStarts[term + 1] ?? 0;
    const from = firstPosting(postings, first, postingStarts[term] ?? 0, last);
    if (from === last || (postings[from] ?? 0) >>> ordinalShift >= end) continue;
    const to = firstPosting(postings, end, from, last);
    found.push({ bytes: termBytes.subarray(termStarts[term], termStarts[term + 1]), start: from, end: to, ofHead: 0 });
  }
  return found;
}

/** Both in the order of their bytes. */
function withHead(terms: readonly Term[], counts: ReadonlyMap<string, number>): Term[] {
  const all: Term[] = [];
  let next = 0;
  for (const [term, ofHead] of [...counts].sort(([a], [b]) => compareText(a, b))) {
    const bytes = Buffer.from(term);
    for (let other = terms[next]; other !== undefined && compare(other.bytes, bytes) < 0; other = terms[next]) {
      all.push(other);
      next += 1;
    }
    const same = terms[next];
    if (same !== undefined && compare(same.bytes, bytes) === 0) {
      all.push({ ...same, ofHead });
      next += 1;
    } else all.push({ bytes, start: 0, end: 0, ofHead });
  }
  return all.concat(terms.slice(next));
}

function compare(a: Uint8Array, b: Uint8Array): number {
  return compareBytes(a, 0, a.length, b, 0, b.length);
}

/** All of them at the head's location; the chunks as they were. */
function writeEntries(segment: Segment, head: AnalyzedDocument, from: Segment, ordinal: number): void {
  segment.lengths.set(head.lengths);
  segment.flags[0] = head.flags | headFlag;
  segment.directions.set(head.directions);
  segment.directionStarts.fill(head.directions.length, 1);
  let at = 0;
  for (let entry = 0; entry < segment.entries; entry += 1) {
    at += segment.locationBytes.write(head.location, at, 'utf8');
    segment.locationStarts[entry + 1] = at;
    segment.keyOrder[entry] = entry;
    if (entry === 0) continue;
    segment.flags[entry] = chunkFlag;
    segment.chunkStarts[entry] = from.chunkStarts[ordinal + entry] ?? 0;
    segment.lengths[entry * fieldCount] = from.lengths[(ordinal + entry) * fieldCount] ?? 0;
  }
}
