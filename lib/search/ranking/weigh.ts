/**
 * BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.6) with k1 = 1.2 and b =
 * 0.75. Counts of the fields are weighted and set against the field's average length, then levelled off together.
 */
import { fieldCount, fieldWeights } from '../segments/posting.js';
import { figureCount } from '../segments/segment.js';

const k1 = 1.2;
const b = 0.75;

/** The basis of scores besides the documents' own counts: whole numbers over the caller's reach. */
export interface Statistics {
  /** Short documents, and the heads and chunks of long ones. */
  readonly entries: number;
  /** Of all entries: words, field by field; then the numbers of chunks and of heads. */
  readonly figures: readonly number[];
  /** Numbers of entries with a term, term by term of the query. */
  readonly frequencies: readonly number[];
  /** Of a long question: the places of the terms that count, and whether any was left out. */
  readonly rarest?: { readonly places: readonly number[]; readonly leavesOut: boolean };
}

/** The weight of a term that so many of so many entries hold. */
export function inverseFrequency(entries: number, frequency: number): number {
  return Math.log(1 + Math.max(0, entries - frequency + 0.5) / (frequency + 0.5));
}

/** Scores postings of one query. */
export class Weigher {
  /**
   * b over the average length, field by field; 0 where no document has the field. Texts are those of short documents and
   * of chunks; titles, names and labels are those of documents.
   */
  readonly #steepness: readonly number[];

  constructor({ entries, figures }: Statistics) {
    const [chunks = 0, heads = 0] = figures.slice(fieldCount);
    this.#steepness = figures.slice(0, fieldCount).map((sum, field) => {
      const count = entries - (field === 0 ? heads : chunks);
      return sum === 0 ? 0 : (b * count) / sum;
    });
  }

  /**
   * Between 0 and 1: how strongly the packed counts (already cut to the searched fields) count for a document.
   * @param at where the entry's field lengths start in `lengths`
   * @param headAt where those of its document's head start; the same but for a chunk
   */
  weigh(counts: number, lengths: Uint32Array, at: number, headAt = at): number {
    let sum = 0;
    const body = (counts >>> 5) & 127;
    if (body !== 0) sum += (fieldWeights[0] * body) / this.#norm(lengths, at, 0);
    if ((counts & 31) !== 0) {
      const title = (counts >>> 2) & 7;
      if (title !== 0) sum += (fieldWeights[1] * title) / this.#norm(lengths, headAt, 1);
      if ((counts & 2) !== 0) sum += fieldWeights[2] / this.#norm(lengths, headAt, 2);
      if ((counts & 1) !== 0) sum += fieldWeights[3] / this.#norm(lengths, headAt, 3);
    }
    return sum / (k1 + sum);
  }

  #norm(lengths: Uint32Array, at: number, field: number): number {
    return 1 - b + (this.#steepness[field] ?? 0) * (lengths[at + field] ?? 0);
  }
}

/** Adds the figures of the entries in [start, end) to `figures`, or subtracts them. @param sums of a segment */
export function addFigures(figures: number[], sums: Float64Array, start: number, end: number, sign: 1 | -1): void {
  for (let index = 0; index < figureCount; index += 1) {
    const sum = (sums[end * figureCount + index] ?? 0) - (sums[start * figureCount + index] ?? 0);
    figures[index] = (figures[index] ?? 0) + sign * sum;
  }
}
