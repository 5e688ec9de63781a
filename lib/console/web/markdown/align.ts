/**
 * Where the shown characters of a Markdown text stand in its source. What is shown is the source without its marks, so
 * each shown character is sought after the one before it. A character that was written otherwise (`&amp;`) is passed.
 * @param shown the text of one block as the page shows it
 * @param source the lines of that block
 * @returns for each unit of `shown` its place in `source`, or -1
 */
export function align(shown: string, source: string): Int32Array {
  const places = new Int32Array(shown.length).fill(-1);
  let at = 0;
  for (let index = 0; index < shown.length; index += 1) {
    const found = findNear(source, shown[index] ?? '', at);
    if (found < 0) continue;
    places[index] = found;
    at = found + 1;
  }
  return places;
}

/** Units of marks that may stand between two shown characters: an address of a link among them. */
const maxMarks = 2100;
const isSpace = (unit: string): boolean => /\s/.test(unit);

function findNear(source: string, unit: string, from: number): number {
  const end = Math.min(source.length, from + maxMarks);
  if (isSpace(unit)) return from < end && isSpace(source[from] ?? '') ? from : -1;
  for (let at = from; at < end; at += 1) if (source[at] === unit) return at;
  return -1;
}

/** A stretch of units: from `start` to before `end`. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The shown stretch of a stretch of the source; undefined where nothing of it is shown. */
export function toShown(places: Int32Array, { start, end }: Stretch): Stretch | undefined {
  let first = -1;
  let last = -1;
  for (const [index, place] of places.entries()) {
    if (place < start || place >= end) continue;
    if (first < 0) first = index;
    last = index;
  }
  return first < 0 ? undefined : { start: first, end: last + 1 };
}

/** The stretch of the source of a shown stretch; undefined where none of it was found there. */
export function toSource(places: Int32Array, { start, end }: Stretch): Stretch | undefined {
  const found = [...places.subarray(start, end)].filter((place) => place >= 0);
  const [first] = found;
  const last = found.at(-1);
  return first === undefined || last === undefined ? undefined : { start: first, end: last + 1 };
}
