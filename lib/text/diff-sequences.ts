import { diffArrays } from 'diff';
import { runAtOnce, type Steps } from '../scheduling/in-steps.js';

/** A range of two sequences: the same in both, or taken from one and put into the other. Ends are exclusive. */
export interface DiffHunk {
  readonly isSame: boolean;
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

/** The work left to a comparison. Shared by its parts, so many small ones cannot add up. */
export interface Effort {
  /** Steps of the shortest-edit search; it takes about the square of the edits it finds. */
  steps: number;
  /** Pairs of items left to compare: long runs of equal items cost these and no steps. */
  comparisons: number;
  /** Whether something was given up on: the result is right, but not the shortest. */
  isExhausted: boolean;
}

/** Items looked at between two pauses: a few milliseconds. */
const itemsAStep = 8192;

/** Gives equal items the same number, so long lines are compared once. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  numberOf(items: readonly string[]): number[] {
    return runAtOnce(this.numberInSteps(items));
  }

  *numberInSteps(items: readonly string[]): Steps<number[]> {
    const numbers: number[] = [];
    for (const item of items) {
      let number = this.#numbers.get(item);
      if (number === undefined) {
        number = this.#numbers.size;
        this.#numbers.set(item, number);
      }
      numbers.push(number);
      if (numbers.length % itemsAStep === 0) yield;
    }
    return numbers;
  }
}

/** Ranges shorter than this are compared without looking for landmarks first. */
const small = 64;

/**
 * Compares two sequences. Their common start and end are set aside. Landmarks cut the long remainders: items that occur
 * exactly once on each side and in the same order. Between them the library seeks the shortest edit. A part that would
 * take more than the effort left becomes one replaced range.
 * @returns ranges in order that cover both sequences, neighbours never of the same kind
 */
export function diffSequences(from: readonly number[], to: readonly number[], effort: Effort): DiffHunk[] {
  return runAtOnce(diffInSteps(from, to, effort));
}

/** The same in steps, for long sequences. */
export function* diffInSteps(from: readonly number[], to: readonly number[], effort: Effort): Steps<DiffHunk[]> {
  const ranges: { -readonly [Member in keyof DiffHunk]: DiffHunk[Member] }[] = [];
  yield* compare(from, to, { fromStart: 0, fromEnd: from.length, toStart: 0, toEnd: to.length }, effort, (range) => {
    const last = ranges.at(-1);
    if (range.fromStart === range.fromEnd && range.toStart === range.toEnd) return;
    if (last?.isSame === range.isSame) {
      last.fromEnd = range.fromEnd;
      last.toEnd = range.toEnd;
    } else ranges.push({ ...range });
  });
  return ranges;
}

type Range = Omit<DiffHunk, 'isSame'>;

function* compare(
  from: readonly number[],
  to: readonly number[],
  range: Range,
  effort: Effort,
  emit: (range: DiffHunk) => void,
): Steps<void> {
  let { fromStart, fromEnd, toStart, toEnd } = range;
  while (fromStart < fromEnd && toStart < toEnd && from[fromStart] === to[toStart]) {
    fromStart += 1;
    toStart += 1;
  }
  while (fromEnd > fromStart && toEnd > toStart && from[fromEnd - 1] === to[toEnd - 1]) {
    fromEnd -= 1;
    toEnd -= 1;
  }
  emit({ isSame: true, fromStart: range.fromStart, fromEnd: fromStart, toStart: range.toStart, toEnd: toStart });
  const rest = { fromStart, fromEnd, toStart, toEnd };
  const landmarks = fromEnd - fromStart + toEnd - toStart > small ? yield* findLandmarks(from, to, rest) : [];
  if (landmarks.length === 0) search(from, to, rest, effort, emit);
  let at = { from: fromStart, to: toStart };
  for (const [index, landmark] of landmarks.entries()) {
    if (index % itemsAStep === itemsAStep - 1) yield;
    const between = { fromStart: at.from, fromEnd: landmark.from, toStart: at.to, toEnd: landmark.to };
    search(from, to, between, effort, emit);
    at = { from: landmark.from + 1, to: landmark.to + 1 };
    emit({ isSame: true, fromStart: landmark.from, fromEnd: at.from, toStart: landmark.to, toEnd: at.to });
  }
  if (landmarks.length > 0) {
    search(from, to, { fromStart: at.from, fromEnd, toStart: at.to, toEnd }, effort, emit);
  }
  emit({ isSame: true, fromStart: fromEnd, fromEnd: range.fromEnd, toStart: toEnd, toEnd: range.toEnd });
}

/** Ranges with so few pairs are compared directly: often no item is the same, as where single lines changed. */
const tiny = 16;

function shareAny(from: readonly number[], to: readonly number[], range: Range): boolean {
  for (let at = range.fromStart; at < range.fromEnd; at += 1) {
    for (let other = range.toStart; other < range.toEnd; other += 1) if (from[at] === to[other]) return true;
  }
  return false;
}

/** The shortest edit of a range, or the whole range replaced when a search takes too much. */
function search(
  from: readonly number[],
  to: readonly number[],
  range: Range,
  effort: Effort,
  emit: (range: DiffHunk) => void,
): void {
  const { fromStart, fromEnd, toStart, toEnd } = range;
  const fromLength = fromEnd - fromStart;
  const toLength = toEnd - toStart;
  if (fromLength === 0 || toLength === 0) {
    emit({ isSame: false, ...range });
    return;
  }
  const isAffordable = effort.steps >= fromLength + toLength;
  if (isAffordable && fromLength * toLength <= tiny && !shareAny(from, to, range)) {
    effort.steps -= fromLength + toLength;
    emit({ isSame: false, ...range });
    return;
  }
  const maxEditLength = Math.floor(Math.min(Math.sqrt(effort.steps), fromLength + toLength));
  const changes =
    maxEditLength < 1 || effort.comparisons < 1
      ? undefined
      : seekShortest(from.slice(fromStart, fromEnd), to.slice(toStart, toEnd), maxEditLength, effort);
  if (changes === undefined) {
    effort.steps -= maxEditLength ** 2;
    effort.isExhausted = true;
    emit({ isSame: false, ...range });
    return;
  }
  let edits = 0;
  let at = { from: fromStart, to: toStart };
  for (const { added, removed, count } of changes) {
    const next = { from: at.from + (added ? 0 : count), to: at.to + (removed ? 0 : count) };
    if (added || removed) edits += count;
    emit({ isSame: !added && !removed, fromStart: at.from, fromEnd: next.from, toStart: at.to, toEnd: next.to });
    at = next;
  }
  effort.steps -= edits ** 2;
}

/** Thrown out of the library's search, because it has no other way to end after so many comparisons. */
class TooMuchToCompare extends Error {}

/** @returns undefined when it takes more than the effort left */
function seekShortest(
  from: number[],
  to: number[],
  maxEditLength: number,
  effort: Effort,
): ReturnType<typeof diffArrays<number>> | undefined {
  const comparator = (a: number, b: number): boolean => {
    effort.comparisons -= 1;
    if (effort.comparisons < 0) throw new TooMuchToCompare();
    return a === b;
  };
  try {
    return diffArrays(from, to, { maxEditLength, comparator });
  } catch (error) {
    if (error instanceof TooMuchToCompare) return undefined;
    throw error;
  }
}

interface Landmark {
  readonly from: number;
  readonly to: number;
}

/** Pairs of items that occur once on each side, as many as have the same order on both (patience diff). */
function* findLandmarks(from: readonly number[], to: readonly number[], range: Range): Steps<Landmark[]> {
  const inFrom = yield* findSingles(from, range.fromStart, range.fromEnd);
  const inTo = yield* findSingles(to, range.toStart, range.toEnd);
  const pairs: Landmark[] = [];
  for (const [number, place] of inFrom) {
    const other = inTo.get(number);
    if (place >= 0 && other !== undefined && other >= 0) pairs.push({ from: place, to: other });
  }
  yield;
  return yield* maxRising(pairs);
}

/** The place of each number; -1 for one in several places. In order of first appearance. */
function* findSingles(items: readonly number[], start: number, end: number): Steps<Map<number, number>> {
  const places = new Map<number, number>();
  for (let index = start; index < end; index += 1) {
    const item = items[index] ?? -1;
    places.set(item, places.has(item) ? -1 : index);
    if ((index - start) % itemsAStep === itemsAStep - 1) yield;
  }
  return places;
}

/** The longest series of pairs, rising on both sides; the pairs come in rising order of `from`. */
function* maxRising(pairs: readonly Landmark[]): Steps<Landmark[]> {
  /** For each length, the index of the pair with the smallest `to` that ends a series of it. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, { to }] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.to ?? 0) < to) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
    if (index % itemsAStep === itemsAStep - 1) yield;
  }
  const series: Landmark[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) series.push(pair);
  }
  return series.toReversed();
}
