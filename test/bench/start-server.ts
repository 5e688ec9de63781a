import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, as a user would run it. */
export interface RunningServer {
  readonly url: string;
  /** Bytes of resident memory now. */
  residentBytes(): number;
  /** Seconds of processor time until now, in all its threads and in the programs that it has started. */
  processorSeconds(): number;
  /** The holds of its event loop since the last call; only of a watched server. */
  readHolds(): Promise<Holds>;
  /** Ends it and waits for its end. */
  stop(): Promise<void>;
}

/** The time that others waited for an event loop, beside the millisecond of the measuring timer. Milliseconds. */
export interface Holds {
  readonly p99: number;
  readonly longest: number;
}

/** The built program and its neighbours, from dist/test/bench. */
export function builtFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Starts a script, which prints one line of JSON with its `url` once it answers. */
export function startServer(script: string, ...args: readonly string[]): Promise<RunningServer> {
  return startProcess([script, ...args]);
}

async function startProcess(args: readonly string[]): Promise<RunningServer> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  child.channel?.unref();
  const url = await readUrl(child);
  return {
    url,
    residentBytes: () => residentBytesOf(child.pid ?? 0),
    processorSeconds: () => processorSecondsOf(child.pid ?? 0),
    readHolds: () =>
      new Promise((resolve) => {
        child.once('message', (holds) => resolve(holds as Holds));
        child.send('holds');
      }),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

/** The built command `cartulary`. */
export const program = (): string => builtFile('../../bin/cartulary.js');

/** The service itself on a data folder. */
export function startCartulary(dataFolder: string, ...options: readonly string[]): Promise<RunningServer> {
  return startProcess([...serveOn(dataFolder), ...options]);
}

/** The same, with reports of the holds of its event loop. */
export function startWatched(dataFolder: string): Promise<RunningServer> {
  return startProcess(['--import', builtFile('./watch-holds.js'), ...serveOn(dataFolder)]);
}

function serveOn(dataFolder: string): string[] {
  return [program(), 'serve', '--data', dataFolder, '--port', '0', '--json'];
}

async function readUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The server has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) return url;
  }
  throw new Error('The server ended before it answered.');
}

function residentBytesOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Ticks of the kernel's clock in a second, as Linux shows them. */
const ticks = 100;

/** The time of a process, of its children that have ended, and of those that still run. */
function processorSecondsOf(pid: number): number {
  try {
    // The name in parentheses may hold blanks; behind it stand the state and 10 more fields before the four times.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const own = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks;
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return children.reduce((sum, child) => sum + processorSecondsOf(Number(child)), own);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
