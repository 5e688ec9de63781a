import { compareLocations } from '../segments/renamed-range.js';
import type { SegmentReader } from '../segments/segment-reader.js';

export interface Candidate {
  readonly reader: SegmentReader;
  readonly ordinal: number;
  readonly score: number;
  /** The ordinal of its best chunk; 0 for none. */
  readonly chunk: number;
}

/** Keeps the `most` best candidates: by score, then by location, then by the place in the text. A heap with the worst kept one on top. */
export class BestDocuments {
  readonly most: number;
  readonly #heap: Candidate[] = [];

  constructor(most: number) {
    this.most = most;
  }

  /** The worst score that is stored, once there is no more room; -1 before. */
  get minKept(): number {
    return this.#heap.length < this.most ? -1 : (this.#heap[0]?.score ?? -1);
  }

  offer(candidate: Candidate): void {
    const worst = this.#heap[0];
    if (this.#heap.length < this.most) {
      this.#heap.push(candidate);
      this.#rise(this.#heap.length - 1);
    } else if (worst !== undefined && compareCandidates(candidate, worst) < 0) {
      this.#heap[0] = candidate;
      this.#sink();
    }
  }

  /** The best first. */
  inOrder(): Candidate[] {
    return [...this.#heap].sort(compareCandidates);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (compareCandidates(heap[at] as Candidate, heap[parent] as Candidate) <= 0) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child >= heap.length) continue;
        if (compareCandidates(heap[child] as Candidate, heap[worst] as Candidate) > 0) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as Candidate, heap[a] as Candidate];
  }
}

/** Negative when `a` comes first. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return b.score - a.score || compareLocations(a.reader, a.ordinal, b.reader, b.ordinal) || a.chunk - b.chunk;
}
