import { maxEntries } from '../segments/posting.js';

/** The scores of one search, segment after segment; all zero between uses. */
export class ScoreAccumulator {
  readonly scores: Float64Array;
  readonly states: Uint16Array;
  /** The counts of a pseudo-term. */
  readonly counts: Uint16Array;
  /** By a long document's head: its best chunk so far; 0 for none, because a head stands before it. */
  readonly bestChunks: Uint32Array;
  readonly #touched: Uint32Array;
  #count = 0;

  constructor(entries: number) {
    this.scores = new Float64Array(entries);
    this.states = new Uint16Array(entries);
    this.counts = new Uint16Array(entries);
    this.bestChunks = new Uint32Array(entries);
    this.#touched = new Uint32Array(entries);
  }

  mark(ordinal: number, state: number): void {
    if (this.states[ordinal] === 0) {
      this.#touched[this.#count] = ordinal;
      this.#count += 1;
    }
    this.states[ordinal] = state;
  }

  get touched(): Uint32Array {
    return this.#touched.subarray(0, this.#count);
  }

  clear(): void {
    for (const ordinal of this.touched) {
      this.scores[ordinal] = 0;
      this.states[ordinal] = 0;
      this.bestChunks[ordinal] = 0;
    }
    this.#count = 0;
  }
}

/** Each running search has one of its own. This many are kept for later searches. */
const maxKept = 2;
const kept: ScoreAccumulator[] = [];

/** @param entries of the largest segment */
export function takeAccumulator(entries: number): ScoreAccumulator {
  const accumulator = kept.pop();
  if (accumulator !== undefined && accumulator.states.length >= entries) return accumulator;
  return new ScoreAccumulator(Math.min(maxEntries, 2 * entries));
}

/** Returns a cleared accumulator to the pool. */
export function releaseAccumulator(accumulator: ScoreAccumulator): void {
  if (kept.length < maxKept) kept.push(accumulator);
}
