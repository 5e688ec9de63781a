import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A test program in a process of its own. It prints lines and can be killed at any of them. */
export class Child {
  /** Its output on standard error. */
  complaints = '';
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #lines: AsyncIterator<string>;

  constructor(program: string, ...parameters: readonly string[]) {
    this.#process = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#closed = once(this.#process, 'close');
    const { stdout, stderr } = this.#process;
    if (stdout === null || stderr === null) throw new Error('A process was started without pipes.');
    stderr.setEncoding('utf8').on('data', (piece: string) => (this.complaints += piece));
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  /** Its next line. @throws Error when it ends before that, with its complaint */
  async hear(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done !== true) return value;
    await this.#closed;
    throw new Error(`It ended before it said anything more: ${this.complaints}`);
  }

  /** Waits until it ends by itself. @returns its exit code */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#process.exitCode;
  }

  /** Kills it, whether or not it has ended by itself, and waits for its end. @returns whether it was still alive */
  async kill(): Promise<boolean> {
    this.#process.kill('SIGKILL');
    await this.#closed;
    return this.#process.signalCode === 'SIGKILL';
  }
}
