/** A moment that a test holds open. */
export class Gate {
  readonly reached: Promise<void>;
  #onReached: () => void = () => undefined;
  #open: () => void = () => undefined;
  readonly #opened: Promise<void>;

  constructor() {
    this.reached = new Promise((resolve) => (this.#onReached = resolve));
    this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  /** Waits until it is opened. */
  async pass(): Promise<void> {
    this.#onReached();
    await this.#opened;
  }

  open(): void {
    this.#open();
  }
}
