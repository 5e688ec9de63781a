/** How many syncs run at once over the whole service. */
export class RunSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(slots: number) {
    this.#free = slots;
  }

  /**
   * Takes a slot.
   * @param onFree called once when there may be a free one, if there is none now
   * @returns releases it; undefined when there is none
   */
  take(onFree: () => void): (() => void) | undefined {
    if (this.#free === 0) {
      this.#waiting.add(onFree);
      return undefined;
    }
    this.#free -= 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      this.#callAll();
    };
  }

  /** In the order in which they asked. Who comes too late asks again. */
  #callAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const onFree of waiting) onFree();
  }

  /** Somebody waits no longer. */
  forget(onFree: () => void): void {
    this.#waiting.delete(onFree);
  }
}
