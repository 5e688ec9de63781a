/** The live streams of a workspace that are open. They end before the service stops, which would wait for them. */
export class Watchers {
  readonly #ends = new Set<() => void>();
  #isOver = false;

  /** @param end ends the stream. @returns takes it off again; may be called twice */
  add(end: () => void): () => void {
    if (this.#isOver) {
      setImmediate(end);
      return () => undefined;
    }
    this.#ends.add(end);
    return () => this.#ends.delete(end);
  }

  /** Ends them all, and each later one at once. */
  endAll(): void {
    this.#isOver = true;
    for (const end of this.#ends) end();
    this.#ends.clear();
  }
}
