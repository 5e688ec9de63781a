/**
 * A posting is one Uint32: the occurrence of a term in an entry of a segment, with its count in each field. From the top: ordinal
 * 20 bits, count in the body 7, in the title 3, in the name 1, in the labels 1. Counts stop at their largest value;
 * BM25F has long levelled off there.
 */
export const fieldNames = ['body', 'title', 'path', 'label'] as const;
export const fieldCount = fieldNames.length;

/** How much one occurrence weighs, in the order of `fieldNames`. */
export const fieldWeights = [1, 3, 1, 2] as const;

/** One bit a field, in the order of `fieldNames`. */
export const everyField = 0b1111;
export const bodyField = 0b0001;
export const titleField = 0b0010;
export const pathField = 0b0100;
export const labelField = 0b1000;

export const ordinalShift = 12;
export const countsMask = (1 << ordinalShift) - 1;
/** Entries that one segment can hold. */
export const maxEntries = 1 << 20;

const shifts = [5, 2, 1, 0] as const;
const largest = [127, 7, 1, 1] as const;

/** Adds one occurrence in the field (its place in `fieldNames`) to packed counts. */
export function countOnce(counts: number, field: number): number {
  const shift = shifts[field] ?? 0;
  const most = largest[field] ?? 0;
  return ((counts >>> shift) & most) === most ? counts : counts + (1 << shift);
}

/** The sum of two packed counts, field by field. */
export function addCounts(a: number, b: number): number {
  const body = Math.min(127, ((a >>> 5) & 127) + ((b >>> 5) & 127));
  const title = Math.min(7, ((a >>> 2) & 7) + ((b >>> 2) & 7));
  return (body << 5) | (title << 2) | ((a | b) & 3);
}

/** The bits of the packed counts for the fields of the mask. */
export function countsOf(fields: number): number {
  let mask = 0;
  for (let field = 0; field < fieldCount; field += 1) {
    if ((fields >>> field) & 1) mask |= (largest[field] ?? 0) << (shifts[field] ?? 0);
  }
  return mask;
}
