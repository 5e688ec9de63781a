import { compareText, type Location } from '../../domain/location.js';
import { locationIn } from './renamed-range.js';
import type { SegmentState } from './segment-reader.js';
import { countsMask, fieldCount, ordinalShift } from './posting.js';
import { compareBytes, Segment } from './segment.js';

export interface MergeInput extends SegmentState {
  readonly segment: Segment;
}

const gone = 0xffffffff;
const shortList = 24;

/**
 * Writes the live documents of several segments into one, at their current locations. It leaves out terms that only
 * deleted documents held.
 * @param keepsDirections whether the directions of the documents' texts are kept
 */
export function mergeSegments(inputs: readonly MergeInput[], keepsDirections: boolean): Segment {
  const placed = placeEntries(inputs);
  const renumbered = inputs.map(({ segment }) => new Uint32Array(segment.entries).fill(gone));
  placed.forEach(({ input, ordinal }, place) => {
    (renumbered[input] as Uint32Array)[ordinal] = place;
  });
  const terms = mergeTerms(inputs, renumbered);
  const directions = keepsDirections
    ? placed.map(({ input, ordinal }) => (inputs[input] as MergeInput).segment.directionsOf(ordinal))
    : [];
  const segment = Segment.allocate({
    entries: placed.length,
    terms: terms.count,
    postings: terms.postings.length,
    locationBytes: placed.reduce((sum, { location }) => sum + Buffer.byteLength(location), 0),
    termBytes: terms.bytes.length,
    directionBytes: directions.reduce((sum, { length }) => sum + length, 0),
  });
  segment.termStarts.set(terms.termStarts);
  segment.postingStarts.set(terms.postingStarts);
  segment.postings.set(terms.postings);
  segment.termBytes.set(terms.bytes);
  const keys: number[] = [];
  let at = 0;
  let direction = 0;
  placed.forEach(({ input, ordinal, location }, place) => {
    const source = (inputs[input] as MergeInput).segment;
    if (!source.isChunk(ordinal)) keys.push(source.keys[ordinal] ?? 0);
    const lengths = source.lengths.subarray(ordinal * fieldCount, (ordinal + 1) * fieldCount);
    segment.lengths.set(lengths, place * fieldCount);
    segment.flags[place] = source.flags[ordinal] ?? 0;
    segment.chunkStarts[place] = source.chunkStarts[ordinal] ?? 0;
    at += segment.locationBytes.write(location, at, 'utf8');
    segment.locationStarts[place + 1] = at;
    const own = directions[place];
    if (own !== undefined) {
      segment.directions.set(own, direction);
      direction += own.length;
    }
    segment.directionStarts[place + 1] = direction;
  });
  segment.assignKeys(keys);
  return segment;
}

interface PlacedEntry {
  readonly input: number;
  readonly ordinal: number;
  readonly location: Location;
}

/** Those of a document stay together and in their order, because they have one location and come from one input. */
function placeEntries(inputs: readonly MergeInput[]): PlacedEntry[] {
  const placed: PlacedEntry[] = [];
  inputs.forEach(({ segment, tombstones, runs }, input) => {
    for (let ordinal = 0; ordinal < segment.entries; ordinal += 1) {
      if (((tombstones[ordinal >>> 5] ?? 0) >>> (ordinal & 31)) & 1) continue;
      placed.push({ input, ordinal, location: locationIn(segment, runs, ordinal) });
    }
  });
  return placed.sort((a, b) => compareText(a.location, b.location));
}

interface MergedTerms {
  readonly count: number;
  readonly termStarts: Uint32Array;
  readonly postingStarts: Uint32Array;
  readonly postings: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Goes through all lists of terms at once, always taking the first remaining term. */
function mergeTerms(inputs: readonly MergeInput[], renumbered: readonly Uint32Array[]): MergedTerms {
  const most = (sizeOf: (segment: Segment) => number): number =>
    inputs.reduce((sum, { segment }) => sum + sizeOf(segment), 0);
  const termStarts = new Uint32Array(most((segment) => segment.terms) + 1);
  const postingStarts = new Uint32Array(termStarts.length);
  const postings = new Uint32Array(most((segment) => segment.postings.length));
  const bytes = new Uint8Array(most((segment) => segment.termBytes.length));
  const heads = new Uint32Array(inputs.length);
  let count = 0;
  let byte = 0;
  let posting = 0;
  for (;;) {
    const first = firstHead(inputs, heads);
    if (first === undefined) break;
    const { segment, head } = first;
    const start = segment.termStarts[head] ?? 0;
    const end = segment.termStarts[head + 1] ?? 0;
    const before = posting;
    inputs.forEach(({ segment: other }, input) => {
      const own = heads[input] ?? 0;
      if (own >= other.terms) return;
      const ownStart = other.termStarts[own] ?? 0;
      const ownEnd = other.termStarts[own + 1] ?? 0;
      if (compareBytes(other.termBytes, ownStart, ownEnd, segment.termBytes, start, end) !== 0) return;
      posting = copyPostings(other, own, renumbered[input] as Uint32Array, postings, posting);
      heads[input] = own + 1;
    });
    if (posting === before) continue;
    sortPostings(postings.subarray(before, posting));
    bytes.set(segment.termBytes.subarray(start, end), byte);
    byte += end - start;
    count += 1;
    termStarts[count] = byte;
    postingStarts[count] = posting;
  }
  return {
    count,
    termStarts: termStarts.subarray(0, count + 1),
    postingStarts: postingStarts.subarray(0, count + 1),
    postings: postings.subarray(0, posting),
    bytes: bytes.subarray(0, byte),
  };
}

/** The input with the first next term. */
function firstHead(
  inputs: readonly MergeInput[],
  heads: Uint32Array,
): { readonly segment: Segment; readonly head: number } | undefined {
  let segment: Segment | undefined;
  let head = 0;
  for (let input = 0; input < inputs.length; input += 1) {
    const other = (inputs[input] as MergeInput).segment;
    const own = heads[input] ?? 0;
    if (own >= other.terms) continue;
    if (segment === undefined || isEarlier(other, own, segment, head)) {
      segment = other;
      head = own;
    }
  }
  return segment === undefined ? undefined : { segment, head };
}

function isEarlier(a: Segment, aTerm: number, b: Segment, bTerm: number): boolean {
  const [aStart = 0, aEnd = 0] = [a.termStarts[aTerm], a.termStarts[aTerm + 1]];
  const [bStart = 0, bEnd = 0] = [b.termStarts[bTerm], b.termStarts[bTerm + 1]];
  return compareBytes(a.termBytes, aStart, aEnd, b.termBytes, bStart, bEnd) < 0;
}

/** Copies a term's postings of live documents with their new ordinals; returns where the next ones go. */
function copyPostings(from: Segment, term: number, renumbered: Uint32Array, to: Uint32Array, at: number): number {
  let next = at;
  const end = from.postingStarts[term + 1] ?? 0;
  for (let index = from.postingStarts[term] ?? 0; index < end; index += 1) {
    const posting = from.postings[index] ?? 0;
    const ordinal = renumbered[posting >>> ordinalShift] ?? gone;
    if (ordinal === gone) continue;
    to[next] = ((ordinal << ordinalShift) | (posting & countsMask)) >>> 0;
    next += 1;
  }
  return next;
}

/** By ordinal, which is by value; most lists are short. */
function sortPostings(postings: Uint32Array): void {
  if (postings.length > shortList) {
    postings.sort();
    return;
  }
  for (let index = 1; index < postings.length; index += 1) {
    const posting = postings[index] ?? 0;
    let place = index;
    for (; place > 0 && (postings[place - 1] ?? 0) > posting; place -= 1) postings[place] = postings[place - 1] ?? 0;
    postings[place] = posting;
  }
}
