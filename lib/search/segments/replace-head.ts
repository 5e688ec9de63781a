import { byteLength, compareText } from '../../domain/location.js';
import type { AnalyzedDocument } from '../analysis/analyze-document.js';
import { fieldCount, ordinalShift } from './posting.js';
import { chunkFlag, headFlag, Segment } from './segment.js';
import { firstPosting } from './write-segment.js';

/**
 * A segment of one long document: a new head, and the chunks that the document has in another segment. It copies the
 * chunks' postings as they are. Collected term by term, those of a long text would hold the event loop for a second.
 * @param ordinal of the document's present head
 * @param head its chunks are left aside
 */
export function replaceHead(from: Segment, ordinal: number, head: AnalyzedDocument): Segment {
  const end = from.endOf(ordinal);
  const ofChunks = termsBetween(from, ordinal + 1, end);
  const ofHead = termsOfHead(from, head);
  const size = sizeOf(from, ofChunks, ofHead);
  const segment = Segment.allocate({
    ...size,
    entries: end - ordinal,
    locationBytes: (end - ordinal) * byteLength(head.location),
    directionBytes: head.directions.length,
  });
  writeEntries(segment, head, from, ordinal);
  const writer = new TermWriter(segment, from, ordinal << ordinalShift);
  let next = 0;
  for (const { bytes, counts, place, isThere } of ofHead) {
    for (; (ofChunks.places[next] ?? place) < place; next += 1) writer.write(ofChunks, next, 0);
    if (isThere && ofChunks.places[next] === place) {
      writer.write(ofChunks, next, counts);
      next += 1;
    } else writer.writeAlone(bytes, counts);
  }
  for (; next < ofChunks.places.length; next += 1) writer.write(ofChunks, next, 0);
  return segment;
}

/** Terms of chunks: their places in the old segment, in order, and where their postings of these chunks stand. */
interface ChunkTerms {
  readonly places: Uint32Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** The terms of the entries in [first, end). A long text has a million of them, so there is no object for each. */
function termsBetween({ terms, postings, postingStarts }: Segment, first: number, end: number): ChunkTerms {
  const [places, starts, ends] = [new Uint32Array(terms), new Uint32Array(terms), new Uint32Array(terms)];
  let count = 0;
  for (let term = 0; term < terms; term += 1) {
    const last = postingStarts[term + 1] ?? 0;
    const from = firstPosting(postings, first, postingStarts[term] ?? 0, last);
    if (from === last || (postings[from] ?? 0) >>> ordinalShift >= end) continue;
    places[count] = term;
    starts[count] = from;
    ends[count] = firstPosting(postings, end, from, last);
    count += 1;
  }
  return { places: places.subarray(0, count), starts: starts.subarray(0, count), ends: ends.subarray(0, count) };
}

interface HeadTerm {
  readonly bytes: Buffer;
  readonly counts: number;
  /** Of the first term of the old segment that is not before it, and whether that is the term itself. */
  readonly place: number;
  readonly isThere: boolean;
}

/** In the order of their bytes. */
function termsOfHead(from: Segment, head: AnalyzedDocument): HeadTerm[] {
  return [...head.terms]
    .sort(([a], [b]) => compareText(a, b))
    .map(([term, counts]) => {
      const bytes = Buffer.from(term);
      return { bytes, counts, place: from.firstTerm(bytes), isThere: from.findTerm(bytes) >= 0 };
    });
}

function sizeOf(from: Segment, { places, starts, ends }: ChunkTerms, ofHead: readonly HeadTerm[]) {
  const { termStarts } = from;
  const alone = ofHead.filter(({ place, isThere }) => !isThere || !hasPlace(places, place));
  let postings = ofHead.length;
  let termBytes = alone.reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0;
    postings += (ends[index] ?? 0) - (starts[index] ?? 0);
    termBytes += (termStarts[place + 1] ?? 0) - (termStarts[place] ?? 0);
  }
  return { terms: places.length + alone.length, postings, termBytes };
}

/** Whether the place is among those, which are in order. */
function hasPlace(places: Uint32Array, place: number): boolean {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return places[low] === place;
}

/** Writes terms in order. */
class TermWriter {
  readonly #to: Segment;
  readonly #from: Segment;
  /** What a posting of the old segment is less in the new one. */
  readonly #shift: number;
  #terms = 0;
  #byte = 0;
  #posting = 0;

  constructor(to: Segment, from: Segment, shift: number) {
    this.#to = to;
    this.#from = from;
    this.#shift = shift;
  }

  /** @param counts in the head; 0 for none */
  write({ places, starts, ends }: ChunkTerms, index: number, counts: number): void {
    const { termBytes, termStarts, postings } = this.#from;
    const place = places[index] ?? 0;
    const end = termStarts[place + 1] ?? 0;
    let byte = this.#byte;
    // A copy by the engine would take longer for so few bytes.
    for (let at = termStarts[place] ?? 0; at < end; at += 1, byte += 1) this.#to.termBytes[byte] = termBytes[at] ?? 0;
    this.#byte = byte;
    let posting = this.#posting;
    if (counts !== 0) {
      this.#to.postings[posting] = counts;
      posting += 1;
    }
    const last = ends[index] ?? 0;
    for (let at = starts[index] ?? 0; at < last; at += 1, posting += 1) {
      this.#to.postings[posting] = (postings[at] ?? 0) - this.#shift;
    }
    this.#posting = posting;
    this.#end();
  }

  /** A term of the head alone. */
  writeAlone(bytes: Buffer, counts: number): void {
    this.#to.termBytes.set(bytes, this.#byte);
    this.#byte += bytes.length;
    this.#to.postings[this.#posting] = counts;
    this.#posting += 1;
    this.#end();
  }

  #end(): void {
    this.#terms += 1;
    this.#to.termStarts[this.#terms] = this.#byte;
    this.#to.postingStarts[this.#terms] = this.#posting;
  }
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
