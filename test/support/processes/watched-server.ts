import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** For how long a program's event loop was held in one piece. Milliseconds. */
export interface LoopHolds {
  /** Processor time of the main thread in its longest hold. */
  readonly held: number;
  /** The same by the clock: the time that others waited. */
  readonly waited: number;
  /** Processor time of the main thread in all. */
  readonly used: number;
  /** Resident memory now. Bytes. */
  readonly residentBytes: number;
  /** Open connections now. */
  readonly connections: number;
}

/** The built program, served in a process of its own with a watched event loop. */
export class WatchedServer {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param parameters of `cartulary serve`, such as `--data` */
  static async start(...parameters: readonly string[]): Promise<WatchedServer> {
    const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
    const command = [built('../../../bin/cartulary.js'), 'serve', '--port', '0', '--json', ...parameters];
    const child = spawn(process.execPath, ['--import', built('./loop-watch.js'), ...command], {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    child.channel?.unref();
    if (child.stdout === null) throw new Error('The server has no output.');
    for await (const line of createInterface({ input: child.stdout })) {
      const { url } = line.startsWith('{') ? (JSON.parse(line) as { url?: string }) : {};
      if (url === undefined) continue;
      child.stdout.resume();
      return new WatchedServer(child, url);
    }
    throw new Error('The server ended before it answered.');
  }

  /** The holds of its event loop since the last call. */
  async holds(): Promise<LoopHolds> {
    const answer = once(this.#child, 'message') as Promise<[LoopHolds]>;
    this.#child.send('holds');
    return (await answer)[0];
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
