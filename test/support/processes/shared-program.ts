import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** One command for the process that runs many (decision 0288). */
export interface SharedCall {
  readonly parameters: readonly string[];
  readonly cwd: string;
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it writes to both outputs after the command. */
  readonly end: string;
}

/** What that process answers. */
export interface SharedEnd {
  readonly code: number;
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const runner = fileURLToPath(new URL('run-commands.js', import.meta.url));

/** A process of the program that runs commands one after another, without a start for each. */
export class SharedProgram {
  #running: Running | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `cartulary …` to its end, after those asked for before. */
  run(call: Omit<SharedCall, 'end'>): Promise<Outcome> {
    const outcome = this.#last.then(() => this.#run(call));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  /** Ends the process; a later command starts another. */
  async end(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running?.child.connected === true) running.child.disconnect();
    await running?.ended;
  }

  async #run(call: Omit<SharedCall, 'end'>): Promise<Outcome> {
    const running = (this.#running ??= start());
    const { child, ended, stdout, stderr } = running;
    const end = `<${randomUUID()}>`;
    const code = new Promise<number | null>((resolve) => {
      child.once('message', (answer: SharedEnd) => resolve(answer.code));
      // The command may end the process.
      void ended.then((status) => {
        if (this.#running === running) this.#running = undefined;
        resolve(status);
      });
    });
    child.send({ ...call, end } satisfies SharedCall);
    const [printed, complaints] = await Promise.all([stdout.readUntil(end), stderr.readUntil(end)]);
    return { code: await code, stdout: printed, stderr: complaints };
  }
}

interface Running {
  readonly child: ChildProcess;
  /** Its exit code. Node reports no `close` after `disconnect`. */
  readonly ended: Promise<number | null>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Starts such a process. It keeps no test from ending. */
function start(): Running {
  const child = fork(runner, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('A process was started without pipes.');
  for (const handle of [child, child.channel, stdout as Socket, stderr as Socket]) handle?.unref();
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended, stdout: new Output(stdout), stderr: new Output(stderr) };
}

/** What a stream gave since it was last asked. It is read at all times, since only then its end is noticed. */
class Output {
  #text = '';
  #isOver = false;
  #wake = (): void => undefined;

  constructor(stream: Readable) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      this.#text += piece;
      this.#wake();
    });
    stream.once('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** @returns its text before the mark, or before its end */
  async readUntil(mark: string): Promise<string> {
    while (!this.#isOver && !this.#text.endsWith(mark)) await new Promise<void>((wake) => (this.#wake = wake));
    const text = this.#text;
    this.#text = '';
    return text.endsWith(mark) ? text.slice(0, -mark.length) : text;
  }
}
