import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoopHolds } from './watched-server.js';

/*
 * How long one piece of work keeps a test program from answering other requests.
 *
 * The program runs in a process of its own, so that the work of the client does not count. `loop-watch.ts` measures
 * processor time of its main thread, so that a busy machine does not count either. The remaining noise (a garbage
 * collection, the first run of a function) differs from run to run, and a real hold shows in every repetition. So the
 * least of several counts. Time in which the thread waits for a disk is not counted: keep the data in memory.
 *
 *   // serve-something.ts, the program
 *   const server = await openTestServer();
 *   tellFacts({ url: server.rest.url });
 *
 *   // something.test.ts
 *   const program = await WatchedProgram.start<{ url: string }>(new URL('serve-something.js', import.meta.url));
 *   assert.ok((await program.holdOf(() => fetch(`${program.facts.url}/v1/…`))) < 50);
 */

/** Milliseconds after which the work left behind by an answer has had its turn of the event loop as well. */
const afterwards = 10;

/**
 * For the program: reports to the test that it is ready. The process ends when the test releases it.
 * @param facts addresses and keys for the test; they travel as JSON
 */
export function tellFacts(facts: unknown): void {
  process.once('disconnect', () => process.exit());
  process.send?.(facts);
}

/** A program that calls `tellFacts`, in a process of its own with a watched event loop. */
export class WatchedProgram<Facts> {
  readonly facts: Facts;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, facts: Facts) {
    this.#process = child;
    this.facts = facts;
  }

  /** @throws Error when it ends before it is ready; its complaint is on standard error */
  static async start<Facts>(program: URL, ...parameters: readonly string[]): Promise<WatchedProgram<Facts>> {
    const watch = fileURLToPath(new URL('loop-watch.js', import.meta.url));
    const execArgv = ['--import', watch];
    const child = fork(program, parameters, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${program.pathname} ended before it was ready.`);
    });
    const [facts] = (await Promise.race([once(child, 'message'), ended])) as [Facts];
    ended.catch(() => undefined);
    return new WatchedProgram(child, facts);
  }

  /** @returns the longest time, in milliseconds, for which the program's event loop was held during `work` */
  async measure(work: () => Promise<unknown>): Promise<number> {
    return (await this.watch(work)).held;
  }

  /** @returns what the program's event loop did during `work` */
  async watch(work: () => Promise<unknown>): Promise<LoopHolds> {
    await this.#readHolds();
    await work();
    await new Promise((resolve) => setTimeout(resolve, afterwards));
    return this.#readHolds();
  }

  /**
   * Measures until the result is small, at most so many times.
   * @param enough milliseconds that need no second look
   * @returns the least measurement: the time of the work itself shows each time
   */
  async holdOf(work: () => Promise<unknown>, enough = 20, times = 5): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let count = 0; count < times && least > enough; count += 1) {
      least = Math.min(least, await this.measure(work));
    }
    return least;
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }

  /** The holds of its event loop since the last call. */
  async #readHolds(): Promise<LoopHolds> {
    const answered = once(this.#process, 'message');
    this.#process.send('holds');
    const [holds] = (await answered) as [LoopHolds];
    return holds;
  }
}
