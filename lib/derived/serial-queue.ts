/** Lets one piece of work run at a time, in the order of the calls. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when everything asked for before has ended, however that ended. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#last.then(work);
    this.#last = working.catch(() => undefined);
    return working;
  }

  /** Waits for a turn that lasts until it is given back. */
  take(): { readonly begun: Promise<void>; readonly end: () => void } {
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const begun = this.#last.then(() => undefined);
    this.#last = begun.then(() => over);
    return { begun, end };
  }

  /** Resolves when nothing is left to be done. */
  async done(): Promise<void> {
    await this.#last;
  }
}
