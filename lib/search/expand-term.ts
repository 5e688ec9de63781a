import { labelMark } from './analyze-document.js';
import { EditDistance, matchesWildcard } from './match-pattern.js';
import type { QueryTerm } from './parse-query.js';
import type { Segment } from './segment.js';

/** The places of the terms in a segment that a term of a query stands for, in order. */
export function expandTerm(segment: Segment, term: QueryTerm): number[] {
  if (term.type === 'wildcard') return expandWildcard(segment, term.pattern, term.stem);
  if (term.type === 'fuzzy') return expandFuzzy(segment, term.term, term.edits);
  const place = segment.findTerm(Buffer.from(term.term));
  return place < 0 ? [] : [place];
}

/** The term by which documents with the label are found. */
export function labelTerm(label: string): QueryTerm {
  return { type: 'exact', term: labelMark + label };
}

function expandWildcard(segment: Segment, pattern: string, stem: string): number[] {
  const places: number[] = [];
  const literal = Buffer.from(pattern.slice(0, pattern.indexOf('*')));
  const endsThere = pattern.indexOf('*') === pattern.length - 1;
  for (let place = segment.firstTerm(literal); place < segment.terms; place += 1) {
    if (!startsWith(segment, place, literal)) break;
    if (endsThere || matchesWildcard(segment.termAt(place), pattern)) places.push(place);
  }
  const own = segment.findTerm(Buffer.from(stem));
  if (own >= 0 && !places.includes(own)) places.unshift(own);
  return places;
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
 * Walks the sorted terms as a tree: the work for a common beginning is done once, and where a beginning is already
 * too far off, binary search leaps over everything that begins so.
 */
function expandFuzzy(segment: Segment, target: string, edits: number): number[] {
  const places: number[] = [];
  const distance = new EditDistance(target, edits);
  const { termBytes, termStarts } = segment;
  /** How many characters begin before each byte of the previous term that is still good. */
  let knownBytes = 0;
  let previous = -1;
  let place = segment.firstTerm(Buffer.from('0'));
  const depths: number[] = [0];
  while (place < segment.terms) {
    const start = termStarts[place] ?? 0;
    const end = termStarts[place + 1] ?? 0;
    let at = previous < 0 ? 0 : commonBytes(segment, previous, place, knownBytes);
    while (at > 0 && depths[at] === undefined) at -= 1;
    depths.length = at + 1;
    let depth = depths[at] ?? 0;
    let leap = -1;
    while (start + at < end) {
      const [character, size] = characterAt(termBytes, start + at);
      at += size;
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
    } else place = firstTermBeyond(segment, termBytes.subarray(start, start + leap), place + 1);
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

/** The first term from `place` on that does not begin with the bytes. */
function firstTermBeyond(segment: Segment, bytes: Uint8Array, place: number): number {
  if (place >= segment.terms || !startsWith(segment, place, bytes)) return place;
  const next = Buffer.from(bytes);
  // The last byte of UTF-8 is never 0xff, so one more is still a byte.
  next[next.length - 1] = (next[next.length - 1] ?? 0) + 1;
  return segment.firstTerm(next);
}

/** The code point at the byte and how many bytes it takes. */
function characterAt(bytes: Uint8Array, at: number): readonly [number, number] {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return [first, 1];
  const tail = (index: number): number => (bytes[at + index] ?? 0) & 0x3f;
  if (first < 0xe0) return [((first & 0x1f) << 6) | tail(1), 2];
  if (first < 0xf0) return [((first & 0x0f) << 12) | (tail(1) << 6) | tail(2), 3];
  return [((first & 0x07) << 18) | (tail(1) << 12) | (tail(2) << 6) | tail(3), 4];
}
