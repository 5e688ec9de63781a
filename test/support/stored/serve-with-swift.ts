import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Debian's, for which Swift is packaged. */
const python = '/usr/bin/python3';
const programs = ['proxy', 'account', 'container', 'object'].map((name) => `/usr/bin/swift-${name}-server`);

export const swiftKey = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
/** Objects in one part of a listing. */
export const swiftPage = 3;

export function hasSwift(): boolean {
  return programs.every((program) => existsSync(program));
}

/** OpenStack Swift, which speaks the protocol of S3 and checks signatures. */
export class Swift {
  readonly #folder: string;
  readonly #server: ChildProcess;
  readonly host: string;

  private constructor(folder: string, server: ChildProcess, host: string) {
    this.#folder = folder;
    this.#server = server;
    this.host = host;
  }

  static async start(): Promise<Swift> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'cartulary-swift-')));
    const script = join('test', 'support', 'stored', 'serve-swift.py');
    const server = spawn(python, [script, folder, String(swiftPage)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let complaints = '';
    server.stderr.on('data', (text: Buffer) => (complaints += String(text)));
    const ended = once(server, 'exit').then(() => Promise.reject(new Error(`Swift ended: ${complaints}`)));
    const [port] = (await Promise.race([once(server.stdout, 'data'), ended])) as [Buffer];
    ended.catch(() => undefined);
    return new Swift(folder, server, `127.0.0.1:${Number(String(port))}`);
  }

  async stop(): Promise<void> {
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true });
  }
}
