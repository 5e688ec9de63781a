import type { DeriveOrder, Derived } from './derive.js';

/** A worker thread that makes derived repositories, one at a time. It starts at its first use and does not keep the
 * process alive while idle. */
export class DeriveWorker {
  /**
   * `deriveRepository` in the thread.
   * @param signal ends it
   */
  async derive(order: DeriveOrder, signal: AbortSignal): Promise<Derived> {
    signal.throwIfAborted();
    return Promise.reject(new Error(`No thread makes ${order.folder} yet.`));
  }

  /** Ends the thread; the next request starts another. */
  async close(): Promise<void> {
    return Promise.resolve();
  }
}
