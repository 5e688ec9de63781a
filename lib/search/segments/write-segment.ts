import { byteLength, compareText } from '../../domain/location.js';
import type { AnalyzedDocument } from '../analysis/analyze-document.js';
import { countsMask, fieldCount, ordinalShift } from './posting.js';
import { chunkFlag, headFlag, Segment } from './segment.js';

/**
 * Writes documents into a segment, in the order of their locations. Keys are all 0 until `assignKeys`.
 * @param documents no two at the same location
 */
export function writeSegment(documents: readonly AnalyzedDocument[]): Segment {
  const ordered = [...documents].sort((a, b) => compareText(a.location, b.location)).flatMap(entriesOf);
  const { terms, ids, postings, idOfPosting, counts } = collectTerms(ordered);
  const sorted = sortTerms(terms.slice());
  const segment = Segment.allocate({
    entries: ordered.length,
    terms: terms.length,
    postings: postings.length,
    locationBytes: ordered.reduce((sum, { location }) => sum + byteLength(location), 0),
    termBytes: terms.reduce((sum, term) => sum + byteLength(term), 0),
    directionBytes: ordered.reduce((sum, { directions }) => sum + directions.length, 0),
  });
  let at = 0;
  let direction = 0;
  ordered.forEach(({ location, lengths, flags, chunkStart, directions }, ordinal) => {
    segment.lengths.set(lengths, ordinal * fieldCount);
    segment.flags[ordinal] = flags;
    segment.chunkStarts[ordinal] = chunkStart;
    segment.keyOrder[ordinal] = ordinal;
    at += segment.locationBytes.write(location, at, 'utf8');
    segment.locationStarts[ordinal + 1] = at;
    segment.directions.set(directions, direction);
    direction += directions.length;
    segment.directionStarts[ordinal + 1] = direction;
  });
  let bytes = 0;
  let posting = 0;
  const next = new Uint32Array(terms.length);
  sorted.forEach((term, index) => {
    bytes += segment.termBytes.write(term, bytes, 'utf8');
    segment.termStarts[index + 1] = bytes;
    const id = ids.get(term) ?? 0;
    next[id] = posting;
    posting += counts[id] ?? 0;
    segment.postingStarts[index + 1] = posting;
  });
  // In the order of ordinals, which they keep within each term.
  idOfPosting.forEach((id, index) => {
    const place = next[id] ?? 0;
    segment.postings[place] = postings[index] ?? 0;
    next[id] = place + 1;
  });
  return segment;
}

/** An entry of a segment: a short document, or the head or a chunk of a long one. */
interface Entry extends Omit<AnalyzedDocument, 'chunks'> {
  readonly chunkStart: number;
}

function entriesOf({ chunks, ...document }: AnalyzedDocument): Entry[] {
  if (chunks.length === 0) return [{ ...document, chunkStart: 0 }];
  const head = { ...document, flags: document.flags | headFlag, chunkStart: 0 };
  const { location } = document;
  return [
    head,
    ...chunks.map(({ start, length, terms }) => {
      const lengths = [length, 0, 0, 0] as const;
      return { location, flags: chunkFlag, lengths, terms, directions: noDirections, chunkStart: start };
    }),
  ];
}

const noDirections = new Int8Array(0);

interface CollectedTerms {
  /** In the order of their ids. */
  readonly terms: string[];
  readonly ids: ReadonlyMap<string, number>;
  /** By ordinal. */
  readonly postings: Uint32Array;
  readonly idOfPosting: Uint32Array;
  /** Postings of each term, by its id. */
  readonly counts: Uint32Array;
}

/** Numbers the terms. A list of its own for each term would be most of the garbage: most of them have one posting. */
function collectTerms(entries: readonly Entry[]): CollectedTerms {
  const terms: string[] = [];
  const ids = new Map<string, number>();
  const size = entries.reduce((sum, entry) => sum + entry.terms.size, 0);
  const postings = new Uint32Array(size);
  const idOfPosting = new Uint32Array(size);
  const counts = new Uint32Array(size);
  let at = 0;
  entries.forEach((entry, ordinal) => {
    for (const [term, packed] of entry.terms) {
      let id = ids.get(term);
      if (id === undefined) {
        id = terms.push(term) - 1;
        ids.set(term, id);
      }
      postings[at] = ((ordinal << ordinalShift) | packed) >>> 0;
      idOfPosting[at] = id;
      counts[id] = (counts[id] ?? 0) + 1;
      at += 1;
    }
  });
  return { terms, ids, postings, idOfPosting, counts };
}

const surrogate = /[\ud800-\udfff]/;

/** By their UTF-8 bytes. Only characters of two units stand elsewhere in the engine's own order, which is far quicker. */
function sortTerms(terms: string[]): string[] {
  return terms.some((term) => surrogate.test(term)) ? terms.sort(compareText) : terms.sort();
}

/**
 * Reads one document out of a segment, a long one without its chunks. It reads every term once: some milliseconds in a
 * large segment, for the rare change of a name or of labels.
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
    flags: (segment.flags[ordinal] ?? 0) & ~headFlag,
    lengths: [body, title, path, label],
    terms,
    chunks: [],
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
