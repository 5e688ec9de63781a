import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** The whole environment of an outside program: nothing of the service's own. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC' };

/** Milliseconds to end by itself, once its input has ended. */
const grace = 1000;
/** Milliseconds from SIGTERM to SIGKILL. */
const lastWords = 500;

/** What becomes known of a program while it runs. */
export interface ProgramEvents {
  output(piece: Buffer): void;
  complaint(piece: Buffer): void;
  /** It has ended, and all its output has been read. @param how the end of a sentence */
  ended(how: string): void;
  /** @param code the system's */
  notStarted(code: string): void;
}

/**
 * An outside program, in a process group of its own. The group is killed as a whole, so no child of the program
 * outlives it, unless it made itself a session of its own.
 */
export class OutsideProgram {
  readonly #child: ChildProcess;
  readonly #input: Writable | null;
  readonly #output: readonly Readable[];
  readonly #over: Promise<void>;
  #isOver = false;
  #stopping: Promise<void> | undefined;

  /**
   * @param command absolute path and arguments
   * @param folder its working folder
   */
  constructor([file = '', ...parameters]: readonly string[], folder: string, events: ProgramEvents) {
    this.#child = spawn(file, parameters, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    // Without a free descriptor, the system gives no pipes.
    const { stdin, stdout, stderr } = this.#child;
    this.#input = stdin ?? null;
    this.#output = [stdout, stderr].filter((each) => each !== null && each !== undefined);
    // It may end without reading all.
    this.#input?.on('error', () => undefined);
    stdout?.on('data', (piece: Buffer) => events.output(piece)).on('error', () => undefined);
    stderr?.on('data', (piece: Buffer) => events.complaint(piece)).on('error', () => undefined);
    this.#over = new Promise((resolve) => {
      this.#child.on('exit', () => {
        this.#endGroup();
        resolve();
      });
      this.#child.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
        if (this.#child.pid !== undefined) return;
        this.#isOver = true;
        events.notStarted(code);
        resolve();
      });
    });
    this.#child.on('close', (code, signal) =>
      events.ended(signal === null ? `ended with code ${code}` : `was ended by ${signal}`),
    );
  }

  /** Bytes that it has not read yet. */
  get unread(): number {
    return this.#input?.writableLength ?? 0;
  }

  write(text: string): void {
    if (!this.#isOver) this.#input?.write(text);
  }

  /**
   * Ends it and its children: at once, or by the end of its input first.
   * @returns when it has ended
   */
  stop(manner: 'at once' | 'kindly'): Promise<void> {
    if (manner === 'at once') this.#signal('SIGTERM');
    return (this.#stopping ??= this.#stop(manner));
  }

  async #stop(manner: 'at once' | 'kindly'): Promise<void> {
    this.#input?.end();
    if (manner === 'kindly') {
      await this.#endsWithin(grace);
      this.#signal('SIGTERM');
    }
    await this.#endsWithin(lastWords);
    this.#signal('SIGKILL');
    await this.#over;
    this.#closePipes();
  }

  async #endsWithin(milliseconds: number): Promise<void> {
    const done = new AbortController();
    const late = delay(milliseconds, undefined, done).catch(() => undefined);
    await Promise.race([this.#over, late]);
    done.abort();
  }

  /** The program has ended: what is left of its group ends too. */
  #endGroup(): void {
    this.#signal('SIGKILL');
    this.#isOver = true;
    // A child with a session of its own may hold the pipes open for good.
    setTimeout(() => this.#closePipes(), lastWords).unref();
  }

  #closePipes(): void {
    this.#input?.destroy();
    for (const each of this.#output) each.destroy();
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (this.#isOver || pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // No process of the group is left, or this system has no groups.
      if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    }
  }
}
