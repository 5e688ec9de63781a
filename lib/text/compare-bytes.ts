import { diffTextsInPieces, maxCompared } from './diff-texts.js';
import type { Hunk } from './text-diff.js';

/** Lines kept around the first and the last difference. */
const context = 3;
/** Maximum bytes between the first and the last difference. */
const maxDifferent = 1024 * 1024;
/** Bytes compared at once. */
const blockLength = 64 * 1024;
/** Bytes searched for line feeds in one piece: a few milliseconds. */
const countedAtOnce = 2 * 1024 * 1024;
const lineFeed = 0x0a;

/** Number of equal bytes at the start of both. */
function sameAtStart(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  for (let end = 0; same < most; same = end) {
    end = Math.min(same + blockLength, most);
    if (!a.subarray(same, end).equals(b.subarray(same, end))) break;
  }
  while (same < most && a[same] === b[same]) same += 1;
  return same;
}

/** Number of equal bytes at their end. @param before bytes at the start to leave out */
function sameAtEnd(a: Buffer, b: Buffer, before: number): number {
  const most = Math.min(a.length, b.length) - before;
  let same = 0;
  for (let next = 0; same < most; same = next) {
    next = Math.min(same + blockLength, most);
    const [ofA, ofB] = [a, b].map((each) => each.subarray(each.length - next, each.length - same));
    if (ofA === undefined || ofB === undefined || !ofA.equals(ofB)) break;
  }
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  return same;
}

/** The start of the line that lies `lines` before the one of this offset. */
function lineBefore(bytes: Buffer, offset: number, lines: number): number {
  let at = offset === 0 ? 0 : bytes.lastIndexOf(lineFeed, offset - 1) + 1;
  for (let left = lines; left > 0 && at > 0; left -= 1) {
    at = at < 2 ? 0 : bytes.lastIndexOf(lineFeed, at - 2) + 1;
  }
  return at;
}

/** The end, line feed included, of the line that lies `lines` after the one of this offset. */
function lineAfter(bytes: Buffer, offset: number, lines: number): number {
  let at = offset;
  for (let left = lines; left >= 0 && at < bytes.length; left -= 1) {
    const end = bytes.indexOf(lineFeed, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return at;
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === lineFeed) count += 1;
  return count;
}

/**
 * The changes between two texts in UTF-8, of any length. Equal bytes around the changes cost next to nothing. Line
 * numbers are those of the whole texts.
 * @param rest waits between two pieces of the work
 * @returns null where too much lies between the first and the last difference
 */
export async function compareBytes(
  from: Buffer,
  to: Buffer,
  rest: () => Promise<unknown>,
): Promise<readonly Hunk[] | null> {
  const start = lineBefore(from, sameAtStart(from, to), context);
  const same = sameAtEnd(from, to, start);
  const fromEnd = lineAfter(from, from.length - same, context);
  const middles = [from.subarray(start, fromEnd), to.subarray(start, fromEnd - from.length + to.length)];
  if (middles.some(({ length }) => length > maxDifferent)) return null;
  if (middles.some((middle) => countLineFeeds(middle) > maxCompared)) return null;
  let skipped = 0;
  for (let at = 0; at < start; at += countedAtOnce) {
    skipped += countLineFeeds(from.subarray(at, Math.min(at + countedAtOnce, start)));
    await rest();
  }
  const [before = '', after = ''] = middles.map((middle) => middle.toString('utf8'));
  const { hunks } = await diffTextsInPieces(before, after, rest);
  return hunks.map((hunk) => ({ ...hunk, fromLine: hunk.fromLine + skipped, toLine: hunk.toLine + skipped }));
}
