import { labelMark } from '../analysis/analyze-document.js';
import { EditDistance, matchesWildcard } from './match-pattern.js';
import type { QueryTerm } from './parse-query.js';
import type { Segment } from '../segments/segment.js';
import { maxWordLength } from '../analysis/split-words.js';

/** Bytes of a term that are compared: four for each character of the longest word, and a few for edits. */
const maxCompared = 4 * maxWordLength + 16;

/** Terms compared in one step. */
const maxDocumentsAtOnce = 4096;

/** The places of the terms in a segment that match a query's term, in order. Works in steps. */
export function* expandTerm(segment: Segment, term: QueryTerm): Generator<void, number[]> {
  if (term.type === 'wildcard') return yield* expandWildcard(segment, term.pattern, term.stems);
  if (term.type === 'fuzzy') {
    const near = yield* expandFuzzy(segment, term.term, term.edits);
    return yield* withStems(segment, near, term.stems);
  }
  const terms = term.type === 'any' ? term.terms : [term.term];
  return terms.map((each) => segment.findTerm(Buffer.from(each))).filter((place) => place >= 0);
}

/** The term of all documents with the label. */
export function labelTerm(label: string): QueryTerm {
  return { type: 'exact', term: labelMark + label };
}

function* expandWildcard(segment: Segment, pattern: string, stems: readonly string[]): Generator<void, number[]> {
  const places: number[] = [];
  const literal = Buffer.from(pattern.slice(0, pattern.indexOf('*')));
  const endsThere = pattern.indexOf('*') === pattern.length - 1;
  for (let place = segment.firstTerm(literal); place < segment.terms; place += 1) {
    if (!startsWith(segment, place, literal)) break;
    if (endsThere || matchesWildcard(segment.termAt(place), pattern)) places.push(place);
    if (place % maxDocumentsAtOnce === 0) yield;
  }
  return yield* withStems(segment, places, stems);
}

/** Stems that are looked up in one step. */
const stemsAtOnce = 128;

function* withStems(segment: Segment, places: number[], stems: readonly string[]): Generator<void, number[]> {
  const known = new Set(places);
  for (const [index, stem] of stems.entries()) {
    const own = segment.findTerm(Buffer.from(stem));
    if (own >= 0) known.add(own);
    if (index % stemsAtOnce === stemsAtOnce - 1) yield;
  }
  return known.size === places.length ? places : [...known].sort((a, b) => a - b);
}

function startsWith(segment: Segment, place: number, bytes: Uint8Array): boolean {
  const start = segment.termStarts[place] ?? 0;
  if ((segment.termStarts[place + 1] ?? 0) - start < bytes.length) return false;
  for (let index = 0; index < bytes.length; index += 1) {
    if (segment.termBytes[start + index] !== bytes[index]) return false;
  }
  return true;
}

/**
 * Walks the sorted terms as a tree: the work for a common beginning is done once. Where a beginning is already too far
 * off, binary search skips all terms with that beginning.
 */
function* expandFuzzy(segment: Segment, target: string, edits: number): Generator<void, number[]> {
  const places: number[] = [];
  const distance = new EditDistance(target, edits);
  const { termBytes, termStarts } = segment;
  /** Bytes of the previous term whose depths are still valid. */
  let knownBytes = 0;
  let previous = -1;
  let place = segment.firstTerm(Buffer.from('0'));
  /** How many characters there are up to a byte, in the term compared last; 0 in the middle of one. */
  const depths = new Uint8Array(maxCompared);
  for (let compared = 1; place < segment.terms; compared += 1) {
    if (compared % maxDocumentsAtOnce === 0) yield;
    const start = termStarts[place] ?? 0;
    const end = termStarts[place + 1] ?? 0;
    let at = previous < 0 ? 0 : commonBytes(segment, previous, place, knownBytes);
    while (at > 0 && depths[at] === 0) at -= 1;
    let depth = depths[at] ?? 0;
    let leap = -1;
    while (start + at < end) {
      const first = termBytes[start + at] ?? 0;
      const character = first < 0x80 ? first : characterAt(termBytes, start + at);
      for (let left = bytesOf(first); left > 0; left -= 1, at += 1) depths[at] = 0;
      const isPossible = distance.step(depth, character);
      depth += 1;
      depths[at] = depth;
      if (!isPossible) {
        leap = at;
        break;
      }
    }
    knownBytes = at;
    previous = place;
    if (leap < 0) {
      if (distance.isNear(depth)) places.push(place);
      place += 1;
    } else place = firstTermBeyond(segment, place, leap);
  }
  return places;
}

function commonBytes(segment: Segment, a: number, b: number, most: number): number {
  const { termBytes, termStarts } = segment;
  const aStart = termStarts[a] ?? 0;
  const bStart = termStarts[b] ?? 0;
  const length = Math.min(most, (termStarts[a + 1] ?? 0) - aStart, (termStarts[b + 1] ?? 0) - bStart);
  let common = 0;
  while (common < length && termBytes[aStart + common] === termBytes[bStart + common]) common += 1;
  return common;
}

/** The first term after `place` with another beginning of that many bytes; found by steps that grow, then halve. */
function firstTermBeyond(segment: Segment, place: number, bytes: number): number {
  let low = place + 1;
  let step = 1;
  while (low + step <= segment.terms && commonBytes(segment, place, low + step - 1, bytes) === bytes) {
    low += step;
    step *= 2;
  }
  let high = Math.min(segment.terms, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (commonBytes(segment, place, middle, bytes) === bytes) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bytes of a character with this first byte. */
function bytesOf(first: number): number {
  return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** The code point at the byte. */
function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const tail = (index: number): number => (bytes[at + index] ?? 0) & 0x3f;
  if (first < 0x80) return first;
  if (first < 0xe0) return ((first & 0x1f) << 6) | tail(1);
  if (first < 0xf0) return ((first & 0x0f) << 12) | (tail(1) << 6) | tail(2);
  return ((first & 0x07) << 18) | (tail(1) << 12) | (tail(2) << 6) | tail(3);
}
