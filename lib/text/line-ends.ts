/** A text with LF alone, and the places of its former CRLF line ends, so places convert in both directions. */
export interface Flattened {
  readonly text: string;
  /** Offsets of those LFs in `text`, rising. */
  readonly carriage: Int32Array;
  /** Whether most line ends are CRLF. */
  readonly isMostlyCarriage: boolean;
}

export function flattenLineEnds(raw: string): Flattened {
  const pieces = raw.split('\r\n');
  const carriage = new Int32Array(pieces.length - 1);
  if (carriage.length === 0) return { text: raw, carriage, isMostlyCarriage: false };
  let at = -1;
  for (let index = 0; index < carriage.length; index += 1) {
    at += (pieces[index]?.length ?? 0) + 1;
    carriage[index] = at;
  }
  const text = pieces.join('\n');
  let lineEnds = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lineEnds += 1;
  return { text, carriage, isMostlyCarriage: carriage.length * 2 > lineEnds };
}

/** How many of the rising numbers are less than `limit`. */
function countBelow(numbers: Int32Array, limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The offset in the raw text of an offset in the flat one; before a CRLF, the place of its CR. */
export function toRawOffset({ carriage }: Flattened, offset: number): number {
  return offset + countBelow(carriage, offset);
}

/**
 * Whether the replacement of [start, end) should end its lines with CRLF. The lines there decide, or else most of the
 * text.
 */
export function shouldCarry({ text, carriage, isMostlyCarriage }: Flattened, start: number, end: number): boolean {
  if (carriage.length === 0) return false;
  const within = text.slice(start, end).indexOf('\n');
  if (within < 0) return isMostlyCarriage;
  const lineEnd = start + within;
  return countBelow(carriage, lineEnd + 1) > countBelow(carriage, lineEnd);
}
