import { mostDocuments } from './posting.js';

/** Room to rank one segment in, used again and again; all zero between uses. */
export class Sheet {
  readonly scores: Float64Array;
  readonly states: Uint16Array;
  readonly #touched: Uint32Array;
  #count = 0;

  constructor(documents: number) {
    this.scores = new Float64Array(documents);
    this.states = new Uint16Array(documents);
    this.#touched = new Uint32Array(documents);
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
    }
    this.#count = 0;
  }
}

let kept = new Sheet(0);

export function openSheet(documents: number): Sheet {
  if (kept.states.length < documents) kept = new Sheet(Math.min(mostDocuments, 2 * documents));
  return kept;
}
