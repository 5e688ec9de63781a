/**
 * BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.6) with k1 = 1.2 and b =
 * 0.75. Counts of the fields are weighted and set against the field's average length, then levelled off together.
 */
import { fieldCount, fieldWeights } from '../segments/posting.js';

const k1 = 1.2;
const b = 0.75;

/** The basis of scores besides the documents' own counts: whole numbers over the caller's reach. */
export interface Statistics {
  readonly documents: number;
  /** Words in all documents, field by field. */
  readonly lengths: readonly number[];
  /** Numbers of documents with a term, term by term of the query. */
  readonly frequencies: readonly number[];
  /** Of a long question: the places of the terms that count, and whether any was left out. */
  readonly rarest?: { readonly places: readonly number[]; readonly leavesOut: boolean };
}

/** The weight of a term that so many of so many documents hold. */
export function inverseFrequency(documents: number, frequency: number): number {
  return Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5));
}

/** Scores postings of one query. */
export class Weigher {
  /** b over the average length, field by field; 0 where no document has the field. */
  readonly #steepness: readonly number[];

  constructor({ documents, lengths }: Statistics) {
    this.#steepness = lengths.map((sum) => (sum === 0 ? 0 : (b * documents) / sum));
  }

  /**
   * Between 0 and 1: how strongly the packed counts (already cut to the searched fields) count for a document.
   * @param at where the document's field lengths start in `lengths`
   */
  weigh(counts: number, lengths: Uint32Array, at: number): number {
    let sum = 0;
    const body = (counts >>> 5) & 127;
    if (body !== 0) sum += (fieldWeights[0] * body) / this.#norm(lengths, at, 0);
    if ((counts & 31) !== 0) {
      const title = (counts >>> 2) & 7;
      if (title !== 0) sum += (fieldWeights[1] * title) / this.#norm(lengths, at, 1);
      if ((counts & 2) !== 0) sum += fieldWeights[2] / this.#norm(lengths, at, 2);
      if ((counts & 1) !== 0) sum += fieldWeights[3] / this.#norm(lengths, at, 3);
    }
    return sum / (k1 + sum);
  }

  #norm(lengths: Uint32Array, at: number, field: number): number {
    return 1 - b + (this.#steepness[field] ?? 0) * (lengths[at + field] ?? 0);
  }
}

/** Adds the field lengths of one document into `sums`, or subtracts them. */
export function addLengths(sums: number[], from: ArrayLike<number>, at: number, sign: 1 | -1): void {
  for (let field = 0; field < fieldCount; field += 1) sums[field] = (sums[field] ?? 0) + sign * (from[at + field] ?? 0);
}
