import { request } from 'node:http';
import { makeLog } from '../../../lib/app/real-world.js';
import { startService, type RunningService } from '../../../lib/app/serve.js';
import { loadConfig, type Flags } from '../../../lib/config.js';
import { runCommand } from '../../../lib/commands/carrier/run-command.js';
import type { Parsed } from './server.js';

/** What came back for a request. */
export interface Came {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The whole service as `cartulary serve` opens it, with the lines of its log. */
export class RunningTest {
  readonly running: RunningService;
  readonly #lines: readonly string[];

  constructor(running: RunningService, lines: readonly string[]) {
    this.running = running;
    this.#lines = lines;
  }

  /** The lines of the log, parsed. */
  get lines(): Parsed[] {
    return this.#lines.map((line) => JSON.parse(line));
  }

  /** Makes a workspace. @returns the key of its admin, for REST and MCP */
  async initialize(workspace = 'acme'): Promise<string> {
    const { service, url } = this.running;
    const answer = await runCommand(
      { command: 'init', fields: { workspace, admin: 'Ada' } },
      {
        host: service,
        server: null,
        address: url,
        onProgress: () => Promise.resolve(),
        signal: new AbortController().signal,
        onFault: () => undefined,
      },
    );
    if (!('result' in answer)) throw new Error(JSON.stringify(answer));
    return (answer.result as { key: string }).key;
  }

  send(path: string, options: Parameters<typeof sendTo>[2] = {}): Promise<Came> {
    return sendTo(Number(new URL(this.running.url).port), path, options);
  }

  close(): Promise<void> {
    return this.running.close(0);
  }
}

/** Sends a request to a port of this machine, on a connection of its own, and waits until the connection is over. */
export function sendTo(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Came> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('close', () => {
        setImmediate(() => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Opens the service in memory, or on `flags.data`, on a free port. */
export async function openRunning(flags: Flags = {}): Promise<RunningTest> {
  const config = loadConfig({ flags, environment: {} });
  const lines: string[] = [];
  const log = makeLog('info', 'json', { write: (line: string) => void lines.push(line) });
  const data = flags['data'] === undefined ? null : config.data;
  return new RunningTest(await startService({ ...config, data }, log, { ports: [0] }), lines);
}
