import { byteLength, compareText } from '../../domain/location.js';
import type { AnalyzedDocument } from '../analysis/analyze-document.js';
import { countsMask, fieldCount, ordinalShift } from './posting.js';
import { Segment } from './segment.js';

/**
 * Writes documents into a segment, in the order of their locations. Keys are all 0 until `assignKeys`.
 * @param documents no two at the same location
 */
export function writeSegment(documents: readonly AnalyzedDocument[]): Segment {
  const ordered = [...documents].sort((a, b) => compareText(a.location, b.location));
  const postingsByTerm = new Map<string, number[]>();
  let postings = 0;
  ordered.forEach(({ terms }, ordinal) => {
    for (const [term, counts] of terms) {
      const posting = ((ordinal << ordinalShift) | counts) >>> 0;
      const known = postingsByTerm.get(term);
      if (known === undefined) postingsByTerm.set(term, [posting]);
      else known.push(posting);
    }
    postings += terms.size;
  });
  const terms = [...postingsByTerm.keys()].sort(compareText);
  const segment = Segment.allocate({
    documents: ordered.length,
    terms: terms.length,
    postings,
    locationBytes: ordered.reduce((sum, { location }) => sum + byteLength(location), 0),
    termBytes: terms.reduce((sum, term) => sum + byteLength(term), 0),
    directionBytes: ordered.reduce((sum, { directions }) => sum + directions.length, 0),
  });
  let at = 0;
  let direction = 0;
  ordered.forEach(({ location, lengths, flags, directions }, ordinal) => {
    segment.lengths.set(lengths, ordinal * fieldCount);
    segment.flags[ordinal] = flags;
    segment.keyOrder[ordinal] = ordinal;
    at += segment.locationBytes.write(location, at, 'utf8');
    segment.locationStarts[ordinal + 1] = at;
    segment.directions.set(directions, direction);
    direction += directions.length;
    segment.directionStarts[ordinal + 1] = direction;
  });
  let bytes = 0;
  let posting = 0;
  terms.forEach((term, index) => {
    bytes += segment.termBytes.write(term, bytes, 'utf8');
    segment.termStarts[index + 1] = bytes;
    const own = postingsByTerm.get(term) ?? [];
    segment.postings.set(own, posting);
    posting += own.length;
    segment.postingStarts[index + 1] = posting;
  });
  return segment;
}

/**
 * Reads one document with all its entries out of a segment. It reads every term once: some milliseconds in a large
 * segment, for the rare change of a name or of labels.
 */
export function extractDocument(segment: Segment, ordinal: number): AnalyzedDocument {
  const terms = new Map<string, number>();
  const { postings, postingStarts } = segment;
  for (let term = 0; term < segment.terms; term += 1) {
    const end = postingStarts[term + 1] ?? 0;
    const at = firstPosting(postings, ordinal, postingStarts[term] ?? 0, end);
    const posting = at < end ? (postings[at] ?? 0) : 0;
    if (at < end && posting >>> ordinalShift === ordinal) terms.set(segment.termAt(term), posting & countsMask);
  }
  const [body = 0, title = 0, path = 0, label = 0] = segment.lengths.subarray(ordinal * fieldCount);
  return {
    location: segment.locationAt(ordinal),
    flags: segment.flags[ordinal] ?? 0,
    lengths: [body, title, path, label],
    terms,
    directions: segment.directionsOf(ordinal).slice(),
  };
}

/** The first place in [from, to) whose posting is of the ordinal or a later one. */
export function firstPosting(postings: Uint32Array, ordinal: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((postings[middle] ?? 0) >>> ordinalShift < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}
