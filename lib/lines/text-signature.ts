import { runAtOnce } from '../scheduling/in-steps.js';
import { composeText } from '../text/compose-text.js';
import { endOfLine, startOfNext, startOfWords } from './find-lines.js';
import { isPlain, maxLineLength } from './line-query.js';

/**
 * Which neighbouring characters a text has, as bits. A search asks it before a text is read: where three characters of the
 * query that stand side by side are nowhere, the text has no line with the query. It errs only the other way.
 *
 * A text is cut into windows. Each has a bit for all three characters in a row that begin in it, by a hash, and for all
 * pairs of characters of scripts without spaces, where two make a word.
 */

/** UTF-16 units of a window. A query is shorter, so that it ends in the window where it begins or in the next. */
const windowLength = 4096;
/** Bits of a window; a shorter text has fewer. Powers of two. */
const mostBits = 4096;
const leastBits = 256;

/** Signs that are asked for of a literal: more tell hardly more, and each costs a look into each window of a text. */
const mostSigns = 64;

/** What the signature of a text is asked: hashes of which all have to be in two windows side by side. */
export type SoughtSigns = Uint32Array;

/** The signature of a text, each line in the form in which it is searched, and as far. */
export function signLines(text: string): Uint32Array {
  if (isPlain(text)) return signText(text);
  const lines: string[] = [];
  for (let at = startOfWords(text, 0); at < text.length; at = startOfNext(text, at)) {
    const line = text.slice(at, Math.min(endOfLine(text, at), at + maxLineLength + 1));
    lines.push(runAtOnce(composeText(line)).text);
  }
  return signText(lines.join('\n'));
}

function signText(text: string): Uint32Array {
  const windows = Math.max(1, Math.ceil(text.length / windowLength));
  const bits = bitsOf(text.length);
  const words = bits >>> 5;
  // The first unit is the number of bits.
  const signature = new Uint32Array(1 + windows * words);
  signature[0] = bits;
  const mask = bits - 1;
  let [before, last] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const unit = fold(text.charCodeAt(at));
    if (at >= 2) mark(signature, 1 + Math.floor((at - 2) / windowLength) * words, hashThree(before, last, unit) & mask);
    if (at >= 1 && isDense(last) && isDense(unit)) {
      mark(signature, 1 + Math.floor((at - 1) / windowLength) * words, hashTwo(last, unit) & mask);
    }
    [before, last] = [last, unit];
  }
  return signature;
}

function bitsOf(length: number): number {
  let bits = leastBits;
  while (bits < length && bits < mostBits) bits *= 2;
  return bits;
}

function mark(signature: Uint32Array, start: number, bit: number): void {
  const at = start + (bit >>> 5);
  signature[at] = (signature[at] ?? 0) | (1 << (bit & 31));
}

/**
 * What a text has that holds the literal.
 * @param literal in the composed form, of at most 500 UTF-16 units
 * @param ignoresCase whether other letters may stand for its letters; then only what is ASCII says anything
 */
export function signLiteral(literal: string, ignoresCase: boolean): SoughtSigns {
  const signs = new Set<number>();
  const units = Array.from({ length: literal.length }, (_, at) => fold(literal.charCodeAt(at)));
  const counts = (unit: number): boolean => !ignoresCase || unit < 128;
  for (let at = 1; at < units.length && signs.size < mostSigns; at += 1) {
    const [before = -1, last = 0, unit = 0] = [units[at - 2], units[at - 1], units[at]];
    if (!counts(last) || !counts(unit)) continue;
    if (at >= 2 && counts(before)) signs.add(hashThree(before, last, unit));
    if (isDense(last) && isDense(unit)) signs.add(hashTwo(last, unit));
  }
  return Uint32Array.from(signs);
}

/** Whether the text of the signature can hold each of the literals. */
export function mayHold(signature: Uint32Array, literals: readonly SoughtSigns[]): boolean {
  const bits = signature[0] ?? leastBits;
  const words = bits >>> 5;
  return literals.every((signs) => {
    for (let start = 1; start < signature.length; start += words) {
      if (signs.every((sign) => isMarked(signature, start, words, sign & (bits - 1)))) return true;
    }
    return false;
  });
}

/** In the window that begins there, or in the one behind it. */
function isMarked(signature: Uint32Array, start: number, words: number, bit: number): boolean {
  const at = start + (bit >>> 5);
  return ((((signature[at] ?? 0) | (signature[at + words] ?? 0)) >>> (bit & 31)) & 1) === 1;
}

/**
 * One unit for all that an expression without regard to case takes for the same ASCII letter: the long s and the sign of
 * Kelvin are among them.
 */
function fold(unit: number): number {
  if (unit >= 0x41 && unit <= 0x5a) return unit + 0x20;
  if (unit === 0x17f) return 0x73;
  return unit === 0x212a ? 0x6b : unit;
}

/** Of a script in which words are not set apart. */
function isDense(unit: number): boolean {
  return (unit >= 0x2e80 && unit <= 0xd7ff) || (unit >= 0xf900 && unit <= 0xfaff);
}

function hashThree(first: number, second: number, third: number): number {
  return mix(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35));
}

function hashTwo(first: number, second: number): number {
  return mix(Math.imul(first, 0x27d4eb2f) ^ Math.imul(second, 0x165667b1) ^ 0x5bd1e995);
}

function mix(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (half ^ (half >>> 13)) >>> 0;
}
