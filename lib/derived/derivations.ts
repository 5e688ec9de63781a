import { setTimeout as delay } from 'node:timers/promises';
import type { WorkLimits } from '../limits/work-limits.js';
import { goesOn } from '../domain/refusal.js';
import type { DeriveWorker } from './derive-worker.js';
import type { Derived, DeriveOrder } from './derive.js';

/** Milliseconds for which an idle worker stays. */
const idleTime = 10_000;

const stopping = (): Error => goesOn('The service stops. Try again soon.');

interface Running {
  readonly interruption: AbortController;
  readonly ended: Promise<unknown>;
}

/** Makes repositories in workers, few at a time. A worker stays warm for a while. */
export class Derivations {
  readonly #limits: Pick<WorkLimits, 'derivations'>;
  readonly #running = new Set<Running>();
  readonly #idle = new Map<DeriveWorker, NodeJS.Timeout>();
  #pause: Promise<void> | undefined;
  #isClosed = false;

  constructor(limits: Pick<WorkLimits, 'derivations'>) {
    this.#limits = limits;
  }

  /**
   * Makes a repository. It starts again when it was interrupted, with what was the state by then.
   * @param begin called just before each start
   * @throws what `deriveRepository` throws; Refusal UNAVAILABLE
   */
  async derive(order: DeriveOrder, begin: () => void): Promise<Derived> {
    for (;;) {
      while (this.#pause !== undefined) await this.#pause;
      const release = await this.#limits.derivations.take(order.folder);
      const interruption = new AbortController();
      try {
        if (this.#isClosed) throw stopping();
        if (this.#pause !== undefined) continue;
        begin();
        return await this.#run(order, interruption);
      } catch (error) {
        if (!interruption.signal.aborted || this.#isClosed) throw error;
      } finally {
        release();
      }
    }
  }

  async #run(order: DeriveOrder, interruption: AbortController): Promise<Derived> {
    let end = (): void => undefined;
    const running = { interruption, ended: new Promise<void>((resolve) => (end = resolve)) };
    this.#running.add(running);
    let worker: DeriveWorker | undefined;
    try {
      worker = await this.#takeWorker();
      return await worker.derive(order, interruption.signal);
    } finally {
      this.#running.delete(running);
      end();
      if (worker !== undefined) this.#keep(worker);
    }
  }

  async #takeWorker(): Promise<DeriveWorker> {
    for (const [worker, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(worker);
      return worker;
    }
    const made = await import('./derive-worker.js');
    return new made.DeriveWorker();
  }

  #keep(worker: DeriveWorker): void {
    if (this.#isClosed) return void worker.close();
    const timer = setTimeout(() => {
      this.#idle.delete(worker);
      void worker.close();
    }, idleTime);
    timer.unref();
    this.#idle.set(worker, timer);
  }

  /**
   * Resolves when none of the present ones goes on. Those that still do after a while are interrupted, and start again.
   * @param within milliseconds
   */
  async letGo(within: number): Promise<void> {
    const some = [...this.#running];
    if (some.length === 0) return;
    const waiting = new AbortController();
    const all = Promise.all(some.map(({ ended }) => ended));
    await Promise.race([all, delay(within, undefined, { signal: waiting.signal, ref: false }).catch(() => undefined)]);
    waiting.abort();
    for (const { interruption } of some) interruption.abort(new Error('An erase interrupts it.'));
    await all;
  }

  /** Runs work while no repository is being made. @param within milliseconds for those being made now */
  async keepOut<Result>(within: number, work: () => Promise<Result>): Promise<Result> {
    let end = (): void => undefined;
    this.#pause = new Promise((resolve) => (end = resolve));
    try {
      await this.letGo(within);
      return await work();
    } finally {
      this.#pause = undefined;
      end();
    }
  }

  /** Ends all of them, and the workers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { interruption } of this.#running) interruption.abort(stopping());
    await Promise.all([...this.#running].map(({ ended }) => ended));
    const workers = [...this.#idle.keys()];
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all(workers.map((worker) => worker.close()));
  }
}
