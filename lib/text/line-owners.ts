import type { Buffer } from 'node:buffer';
import type { Steps } from '../scheduling/in-steps.js';
import { cutLines } from './cut-lines.js';
import { diffInSteps, Numbering, type DiffHunk, type Effort } from './diff-sequences.js';
import { forLines, maxCompared } from './diff-texts.js';

/** Whole lines that two texts share. Offsets in bytes. */
interface Shared {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/** Lines of the text in question that nobody owns yet, and where they lie in the text walked to. Offsets in bytes. */
interface Open {
  readonly start: number;
  readonly at: number;
  readonly length: number;
}

/** Lines next to each other with one owner. */
export interface OwnedLines<Owner> {
  /** The first line, from 1. */
  readonly line: number;
  readonly lines: number;
  /** Undefined where the walk ended before the line's writer. */
  readonly owner: Owner | undefined;
}

/** Comparisons that take more work than this end the walk: about a second of a processor. */
const forAll = { steps: 3_000_000, comparisons: 20_000_000 } as const;

const lineFeed = 0x0a;

/**
 * Finds who wrote each line of a text. The caller walks back through older texts, one `goBack` for each. A line that
 * the older text lacks belongs to the newer text's owner.
 *
 * Texts are compared as bytes. What two texts share at their start and end is not cut into lines, so a small change of
 * a long text costs little.
 */
export class LineOwners<Owner> {
  readonly #text: Buffer;
  /** The text walked to. */
  #reached: Buffer;
  #open: Open[];
  readonly #owned: { readonly start: number; readonly length: number; readonly owner: Owner }[] = [];
  readonly #left = { ...forAll };
  #isExact = true;

  constructor(text: Buffer) {
    this.#text = text;
    this.#reached = text;
    this.#open = text.length === 0 ? [] : [{ start: 0, at: 0, length: text.length }];
  }

  /** Whether every line has its owner. */
  get isDone(): boolean {
    return this.#open.length === 0;
  }

  /** False when two texts differed so much that a line may belong to an older owner than found. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /**
   * Goes on to an older text.
   * @param owner of the lines that the newer text has, and the older one lacks
   * @returns false when the comparison would take too much: nothing was changed
   */
  *goBack(older: Buffer, owner: Owner): Steps<boolean> {
    const shared = yield* this.#compare(older);
    if (shared === undefined) return false;
    yield;
    this.#keepShared(shared, owner);
    this.#reached = older;
    return true;
  }

  /** Gives all lines left to the owner: there is no older text. */
  finish(owner: Owner): void {
    this.#keepShared([], owner);
  }

  /** All lines in order. */
  *describe(): Steps<OwnedLines<Owner>[]> {
    const pieces: { readonly start: number; readonly length: number; readonly owner: Owner | undefined }[] = [
      ...this.#owned,
      ...this.#open.map(({ start, length }) => ({ start, length, owner: undefined })),
    ].sort((a, b) => a.start - b.start);
    yield;
    const described: OwnedLines<Owner>[] = [];
    let line = 1;
    for (const { start, length, owner } of pieces) {
      const lines = countLines(this.#text, start, start + length);
      const last = described.at(-1);
      if (last !== undefined && last.owner === owner)
        described[described.length - 1] = { ...last, lines: last.lines + lines };
      else described.push({ line, lines, owner });
      line += lines;
      if (described.length % 5000 === 0) yield;
    }
    return described;
  }

  *#compare(older: Buffer): Steps<Shared[] | undefined> {
    const newer = this.#reached;
    const start = sharedStart(older, newer);
    const end = sharedEnd(older, newer, start);
    const [fromEnd, toEnd] = [older.length - end, newer.length - end];
    yield;
    const middle = yield* this.#compareMiddle(older.subarray(start, fromEnd), newer.subarray(start, toEnd));
    if (middle === undefined) return undefined;
    return [
      { from: 0, to: 0, length: start },
      ...middle.map(({ from, to, length }) => ({ from: from + start, to: to + start, length })),
      { from: fromEnd, to: toEnd, length: end },
    ].filter(({ length }) => length > 0);
  }

  *#compareMiddle(older: Buffer, newer: Buffer): Steps<Shared[] | undefined> {
    if (older.length === 0 || newer.length === 0) return [];
    if (hasManyLines(older) || hasManyLines(newer)) return undefined;
    if (this.#left.steps <= 0 || this.#left.comparisons <= 0) return undefined;
    // Each byte becomes one unit: lines are the same exactly where their bytes are.
    const fromLines = cutLines(older.toString('latin1'));
    const toLines = cutLines(newer.toString('latin1'));
    yield;
    const numbering = new Numbering();
    const from = yield* numbering.numberInSteps(fromLines);
    yield;
    const to = yield* numbering.numberInSteps(toLines);
    yield;
    const effort: Effort = { ...forLines, isExhausted: false };
    const ranges = yield* diffInSteps(from, to, effort);
    this.#left.steps -= forLines.steps - effort.steps;
    this.#left.comparisons -= forLines.comparisons - effort.comparisons;
    this.#isExact &&= !effort.isExhausted;
    yield;
    return sharedBytes(ranges, fromLines, toLines);
  }

  /** Open lines in `shared` stay open, at their place in the older text. The others get the owner. */
  #keepShared(shared: readonly Shared[], owner: Owner): void {
    const open: Open[] = [];
    let next = 0;
    for (const { start, at, length } of this.#open) {
      const end = at + length;
      let done = at;
      const own = (until: number): void => {
        if (until > done) this.#owned.push({ start: start + done - at, length: until - done, owner });
        done = until;
      };
      while (next < shared.length && done < end) {
        const { from, to, length: bytes } = shared[next] ?? { from: 0, to: 0, length: 0 };
        if (to + bytes <= done) {
          next += 1;
          continue;
        }
        if (to >= end) break;
        own(Math.max(done, to));
        const until = Math.min(end, to + bytes);
        open.push({ start: start + done - at, at: from + done - to, length: until - done });
        done = until;
      }
      own(end);
    }
    this.#open = joinNeighbours(open);
  }
}

/** Joins ranges that lie next to each other in both texts. */
function joinNeighbours(open: readonly Open[]): Open[] {
  const joined: Open[] = [];
  for (const range of open) {
    const last = joined.at(-1);
    const isNext = last !== undefined && last.start + last.length === range.start && last.at + last.length === range.at;
    if (isNext) joined[joined.length - 1] = { ...last, length: last.length + range.length };
    else joined.push(range);
  }
  return joined;
}

function sharedBytes(ranges: readonly DiffHunk[], fromLines: readonly string[], toLines: readonly string[]): Shared[] {
  const shared: Shared[] = [];
  let [from, to] = [0, 0];
  const lengthOf = (lines: readonly string[], start: number, end: number): number => {
    let length = 0;
    for (let index = start; index < end; index += 1) length += lines[index]?.length ?? 0;
    return length;
  };
  for (const { isSame, fromStart, fromEnd, toStart, toEnd } of ranges) {
    const fromLength = lengthOf(fromLines, fromStart, fromEnd);
    const toLength = lengthOf(toLines, toStart, toEnd);
    if (isSame) shared.push({ from, to, length: toLength });
    from += fromLength;
    to += toLength;
  }
  return shared;
}

/** Whether a text has more lines than are compared. */
export function hasManyLines(text: Buffer): boolean {
  let lines = 0;
  for (let at = text.indexOf(lineFeed); at >= 0 && lines <= maxCompared; at = text.indexOf(lineFeed, at + 1))
    lines += 1;
  return lines > maxCompared;
}

function countLines(text: Buffer, start: number, end: number): number {
  let lines = 0;
  for (let at = start; at < end; lines += 1) {
    const feed = text.indexOf(lineFeed, at);
    at = feed < 0 ? end : feed + 1;
  }
  return lines;
}

/** Bytes compared at once. */
const chunk = 4096;

/** Bytes of the equal whole lines at the start of two texts. */
function sharedStart(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same + chunk <= most && a.compare(b, same, same + chunk, same, same + chunk) === 0) same += chunk;
  while (same < most && a[same] === b[same]) same += 1;
  if (same === a.length && same === b.length) return same;
  return same === 0 ? 0 : a.lastIndexOf(lineFeed, same - 1) + 1;
}

/** Bytes of the equal whole lines at their end. @param before bytes at the start to leave out */
function sharedEnd(a: Buffer, b: Buffer, before: number): number {
  const most = Math.min(a.length, b.length) - before;
  let same = 0;
  const isChunkSame = (): boolean => {
    const [endA, endB] = [a.length - same, b.length - same];
    return a.compare(b, endB - chunk, endB, endA - chunk, endA) === 0;
  };
  while (same + chunk <= most && isChunkSame()) same += chunk;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  if (same === 0) return 0;
  // The line of the first equal byte may have begun otherwise.
  const feed = a.indexOf(lineFeed, a.length - same);
  return feed < 0 ? 0 : a.length - feed - 1;
}
