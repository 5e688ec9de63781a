/** Keeps the largest of the added scores, in a heap with the least on top, so that most scores cost one comparison. */
export class LargestScores {
  readonly #heap: Float64Array;
  #count = 0;

  constructor(most: number) {
    this.#heap = new Float64Array(most);
  }

  /** The score that a new one has to exceed; -1 while there is room. */
  get least(): number {
    return this.#count < this.#heap.length ? -1 : (this.#heap[0] ?? -1);
  }

  /** @param score above `least` */
  add(score: number): void {
    if (this.#count === this.#heap.length) this.#sink(score);
    else {
      this.#count += 1;
      this.#rise(score, this.#count - 1);
    }
  }

  #rise(score: number, from: number): void {
    const heap = this.#heap;
    let at = from;
    for (let parent = (at - 1) >>> 1; at > 0 && (heap[parent] ?? 0) > score; parent = (at - 1) >>> 1) {
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = score;
  }

  /** Puts the score in the place of the least. */
  #sink(score: number): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
      if ((heap[child] ?? 0) >= score) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = score;
  }
}
