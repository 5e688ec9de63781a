/** A range of bytes, its end not included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const oneRange = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i;

/**
 * The first byte of a Range header.
 * @returns infinity for a part without bytes; undefined for headers to ignore, and for the last bytes of a document
 */
export function firstByteOf(header: string | undefined): number | undefined {
  const match = oneRange.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first, last = '', suffix] = match;
  if (first === undefined) return Number(suffix) === 0 ? Number.POSITIVE_INFINITY : undefined;
  // A range that ends before it begins is malformed.
  return last !== '' && Number(last) < Number(first) ? undefined : Number(first);
}

/**
 * Reads a Range header (RFC 9110 §14.1.2) against a length in bytes.
 * @returns undefined for headers to ignore: several ranges, other units, and an empty range
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = oneRange.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first, last = '', suffix] = match;
  const start = first === undefined ? Math.max(0, size - Number(suffix)) : Number(first);
  const end = first === undefined || last === '' ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : undefined;
}
