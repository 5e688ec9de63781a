import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** One command for a process that runs many (decision 0133). */
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

/** A command at work in such a process. */
export interface SharedRun {
  readonly pid: number;
  readonly ended: Promise<Outcome>;
  /** @returns its lines up to the first that matches; undefined where it ends before that */
  hear(until: RegExp): Promise<readonly string[] | undefined>;
  kill(signal: NodeJS.Signals): void;
}

const runner = fileURLToPath(new URL('run-commands.js', import.meta.url));

/** Idle processes that one file of tests leaves to the next. */
const maxIdle = 2;

/** Processes of the program. Each runs one command at a time, and is used again after its end. */
export class SharedPrograms {
  readonly #idle: Running[] = [];

  /** Begins `cartulary …`, also a lasting command. */
  begin(call: Omit<SharedCall, 'end'>): SharedRun {
    const running = this.#takeIdle() ?? start();
    const { child, stdout } = running;
    const end = `<${randomUUID()}>`;
    const ended = this.#awaitEnd(running, end);
    child.send({ ...call, end } satisfies SharedCall);
    return {
      pid: child.pid ?? 0,
      ended,
      kill: (signal) => void child.kill(signal),
      async hear(until) {
        const find = (text: string): number =>
          text
            .split('\n')
            .slice(0, -1)
            .findIndex((line) => until.test(line));
        const heard = stdout.readOn((read) => find(read) >= 0);
        const text = await Promise.race([heard, ended.then((outcome) => outcome.stdout)]);
        const place = find(text);
        return place < 0 ? undefined : text.split('\n').slice(0, place + 1);
      },
    };
  }

  /** Ends all idle processes but a few. */
  async endSurplus(): Promise<void> {
    const surplus = this.#idle.splice(maxIdle);
    for (const { child } of surplus) if (child.connected) child.disconnect();
    await Promise.all(surplus.map(({ ended }) => ended));
  }

  #takeIdle(): Running | undefined {
    let idle = this.#idle.pop();
    while (idle?.child.connected === false) idle = this.#idle.pop();
    return idle;
  }

  async #awaitEnd(running: Running, end: string): Promise<Outcome> {
    const { child, ended, stdout, stderr } = running;
    const code = new Promise<number | null>((resolve) => {
      child.once('message', (answer: SharedEnd) => resolve(answer.code));
      // The command may end the process, or be killed.
      void ended.then(resolve);
    });
    const [printed, complaints] = await Promise.all([stdout.takeUntil(end), stderr.takeUntil(end)]);
    const outcome = { code: await code, stdout: printed, stderr: complaints };
    if (child.exitCode === null && child.signalCode === null) this.#idle.push(running);
    return outcome;
  }
}

interface Running {
  readonly child: ChildProcess;
  /** Its exit code. Node reports no `close` after `disconnect`. */
  readonly ended: Promise<number | null>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Starts such a process. It keeps no test from ending, and ends with the process of the tests. */
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
  #next = this.#makeNext();

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

  /** @returns its text once it is enough, or at its end */
  async readOn(isEnough: (text: string) => boolean): Promise<string> {
    while (!this.#isOver && !isEnough(this.#text)) await this.#next;
    return this.#text;
  }

  /** @returns its text before the mark, or before its end; the next call begins after it */
  async takeUntil(mark: string): Promise<string> {
    const text = await this.readOn((read) => read.includes(mark));
    const [before = '', ...after] = text.split(mark);
    // Node itself can say something later, such as a warning.
    this.#text = after.join('');
    return before;
  }

  #makeNext(): Promise<void> {
    return new Promise((wake) => {
      this.#wake = () => {
        this.#next = this.#makeNext();
        wake();
      };
    });
  }
}
