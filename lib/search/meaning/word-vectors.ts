/**
 * Vectors of words, which are summed to vectors of texts: near in direction is near in meaning. Whole numbers
 * throughout, so that every machine comes to the same result.
 */
export interface WordVectors {
  /**
   * The name by which a worker thread opens them as well. Other vectors have another name: an index made with them is
   * revised.
   */
  readonly name: string;
  readonly dimensions: number;
  /** Adds the stem's vector to the sums, one for each dimension; nothing for an unknown stem. */
  add(stem: string, sums: Int32Array): void;
}

/** Name of the vectors included in the program. */
export const ownVectors = 'words-64';

/** Length of a text's vector. */
const unitLength = 127;

/** The vector in the direction of the sums; undefined when they have none. */
export function toDirection(sums: Int32Array): Int8Array | undefined {
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  if (squares === 0) return undefined;
  const scale = unitLength / Math.sqrt(squares);
  return Int8Array.from(sums, (sum) => Math.round(sum * scale));
}

/** The nearness of two directions, from -1 to 1: the vector against the one at `at`. */
export function compareDirections(vector: Int8Array, others: Int8Array, at: number): number {
  let sum = 0;
  let index = 0;
  // Four at a time takes half as long, and this is where the time goes.
  for (; index + 4 <= vector.length; index += 4) {
    const place = at + index;
    sum +=
      (vector[index] ?? 0) * (others[place] ?? 0) +
      (vector[index + 1] ?? 0) * (others[place + 1] ?? 0) +
      (vector[index + 2] ?? 0) * (others[place + 2] ?? 0) +
      (vector[index + 3] ?? 0) * (others[place + 3] ?? 0);
  }
  for (; index < vector.length; index += 1) sum += (vector[index] ?? 0) * (others[at + index] ?? 0);
  return Math.min(1, sum / (unitLength * unitLength));
}
