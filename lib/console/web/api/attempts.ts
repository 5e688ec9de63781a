interface Attempt {
  readonly wish: string;
  readonly key: string;
}

/**
 * Idempotency-Keys for what somebody wants to be done. A wish keeps its key until it is done, so another press after a
 * lost answer does nothing twice. Another wish gets another key.
 */
export class Attempts {
  readonly #makeKey: () => string;
  readonly #open = new Map<string, Attempt>();

  constructor(makeKey: () => string) {
    this.#makeKey = makeKey;
  }

  /**
   * @param wish all that makes the request another one. It is compared as JSON
   * @param thing what it is about, where several things are worked on: each has its own key
   */
  keyFor(wish: unknown, thing = ''): string {
    const text = JSON.stringify([wish]);
    const before = this.#open.get(thing);
    if (before?.wish === text) return before.key;
    const key = this.#makeKey();
    this.#open.set(thing, { wish: text, key });
    return key;
  }

  /** The wish has come true: the same wish again is a new one. */
  done(thing = ''): void {
    this.#open.delete(thing);
  }
}
