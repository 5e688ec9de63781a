/** How much of one kind of work runs at once over the whole service. Who waits gets one slot in its turn, and then waits again. */
export class RunSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();
  /** Whose turn it is. It has not taken its slot yet. */
  #turn: (() => void) | undefined;
  #isServing = false;

  constructor(slots: number) {
    this.#free = slots;
  }

  /**
   * Takes a slot.
   * @param onFree called once, in its turn, when there is a free one and none can be had now
   * @returns releases it; undefined when there is none
   */
  take(onFree: () => void): (() => void) | undefined {
    const isItsTurn = this.#turn === onFree;
    if (this.#free === 0 || (this.#waiting.size > 0 && !isItsTurn)) {
      this.#waiting.add(onFree);
      return undefined;
    }
    if (isItsTurn) this.#turn = undefined;
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      this.#serve();
    };
  }

  /** Calls those that wait, in the order in which they asked. One that takes nothing has had its turn. */
  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (const onFree of this.#waiting) {
        if (this.#free === 0) return;
        this.#waiting.delete(onFree);
        this.#turn = onFree;
        onFree();
      }
    } finally {
      this.#turn = undefined;
      this.#isServing = false;
    }
  }

  /** A waiting caller has left. */
  forget(onFree: () => void): void {
    this.#waiting.delete(onFree);
  }
}
