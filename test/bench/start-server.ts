import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, as a user would run it. */
export interface RunningServer {
  readonly url: string;
  /** Bytes of resident memory now. */
  residentBytes(): number;
  /** Ends it and waits for that. */
  stop(): Promise<void>;
}

/** The built program and its neighbours, from dist/test/bench. */
export function builtFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Starts a script that prints one line of JSON with its `url` once it answers. */
export async function startServer(script: string, ...args: readonly string[]): Promise<RunningServer> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await readUrl(child);
  return {
    url,
    residentBytes: () => residentBytesOf(child.pid ?? 0),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

/** The service itself on a data folder. */
export function startCartulary(dataFolder: string): Promise<RunningServer> {
  return startServer(builtFile('../../bin/cartulary.js'), 'serve', '--data', dataFolder, '--port', '0', '--json');
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
