import type { Timers } from '../../lib/scheduling/timers.js';

/** Timers that go off when the test says so. */
export class TestTimers implements Timers {
  readonly #set = new Set<{ readonly at: number; readonly work: () => void }>();
  #now = 0;

  after(milliseconds: number, work: () => void): () => void {
    const timer = { at: this.#now + milliseconds, work };
    this.#set.add(timer);
    return () => this.#set.delete(timer);
  }

  /** Those that are set. */
  get count(): number {
    return this.#set.size;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#set].filter(({ at }) => at <= this.#now)) {
      this.#set.delete(timer);
      timer.work();
    }
  }
}
