import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService } from '../lib/app/serve.js';
import { ConfigError, type Config } from '../lib/config.js';
import { dropTrailing } from '../lib/domain/drop-trailing.js';
import type { Deliver, Delivered } from '../lib/mcp/bridge.js';
import type { ServerFacts } from '../lib/commands/command.js';
import { sendCommand } from '../lib/commands/carrier/send-command.js';

/** Number of requests to a folder whose owner is just starting or stopping, and milliseconds before each. */
const attempts = 25;
const between = 200;
/** Milliseconds for requests of others to finish when a service of our own stops. */
const timeout = 3000;

/** @throws ConfigError for anything that is not a service's address */
function readAddress(text: string): string {
  const address = dropTrailing(text.trim(), '/');
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new ConfigError(`The address of a server begins with http:// or https://, unlike "${text}".`);
  }
  // The address of MCP is accepted too.
  return address.replace(/\/mcp$/, '');
}

/** The server that owns the data folder, if one runs. */
async function askFolder({ data }: Config): Promise<ServerFacts | undefined> {
  const answer = await sendCommand(data, { command: 'server', fields: {} }, async () => undefined);
  return answer !== undefined && 'result' in answer ? (answer.result as ServerFacts) : undefined;
}

/** The system's code for a failed or broken connection. */
function codeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code ?? '';
}

/**
 * The service for one client on this machine: the server at the given address, or the one running on the data folder.
 * Without a running one, it is started here for as long as the client stays. It takes any free port of this machine, so
 * that other clients and commands find it as usual.
 */
export class ClientService {
  readonly #config: Config;
  readonly #named: string | undefined;
  #own: RunningService | undefined;
  #found: Promise<string> | undefined;
  /** Another process serves this folder. While it is down, this process does not take its place. */
  #isServed = false;

  /** @throws ConfigError */
  constructor(config: Config, named: string | undefined) {
    this.#config = config;
    this.#named = named === undefined ? undefined : readAddress(named);
  }

  /** The service's address. @throws Error with a message for the person who set the client up */
  find(): Promise<string> {
    if (this.#named !== undefined) return Promise.resolve(this.#named);
    this.#found ??= this.#search().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #search(): Promise<string> {
    const { data } = this.#config;
    for (let attempt = 1; ; attempt += 1) {
      const facts = await askFolder(this.#config);
      if (facts !== undefined) {
        this.#isServed ||= !facts.is_temporary;
        return facts.url;
      }
      if (this.#isServed) throw new Error(`No server runs on ${data} just now. Start it, then try again.`);
      if (!existsSync(data)) {
        throw new Error(
          `There is no data folder ${data}. Name it with --data or CARTULARY_DATA, or its server with --url.`,
        );
      }
      const { DataFolderInUse } = await import('../lib/app/service.js');
      try {
        this.#own = await this.#start();
        return this.#own.url;
      } catch (error) {
        if (!(error instanceof DataFolderInUse) || attempt === attempts) throw error;
        await pause(between);
      }
    }
  }

  /** Loads the service here, since most commands need only its socket. */
  async #start(): Promise<RunningService> {
    const { makeLog } = await import('../lib/app/real-world.js');
    const { startService } = await import('../lib/app/serve.js');
    const config = { ...this.#config, host: '127.0.0.1', publicUrl: null, upgrade: 'never' as const };
    return startService(config, makeLog(config.logLevel), { ports: [0], isTemporary: true });
  }

  /**
   * Delivers messages to the service with a key. If the server has moved, it searches for the server once more, but
   * only if the message has certainly not arrived.
   */
  deliverWith(key: string): Deliver {
    return async (body, headers, stopping) => {
      const post = async (to: string): Promise<Delivered> => {
        const sent = { method: 'POST', headers: { ...headersFor(key), ...headers }, body, signal: stopping ?? null };
        const response = await fetch(`${to}/mcp`, sent);
        const { status } = response;
        const goesOn = stopping !== undefined && response.headers.get('content-type') === 'text/event-stream';
        if (goesOn && response.body !== null) return { status, body: '', events: response.body };
        return { status, body: await response.text() };
      };
      let url = await this.find();
      try {
        try {
          return await post(url);
        } catch (error) {
          if (codeOf(error) !== 'ECONNREFUSED' || this.#named !== undefined) throw error;
          this.#found = undefined;
          url = await this.find();
          return await post(url);
        }
      } catch (error) {
        throw explain(error, url);
      }
    };
  }

  async close(): Promise<void> {
    await this.#own?.close(timeout);
  }
}

function explain(error: unknown, url: string): Error {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return new Error(`No server answers at ${url}.`, { cause: error });
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') {
    const message = `The connection to ${url} broke before an answer came. Within ten minutes the call can be sent again as it was.`;
    return new Error(message, { cause: error });
  }
  if (!(error instanceof TypeError)) return error as Error;
  return new Error(`${url} cannot be reached${code === '' ? '' : ` (${code})`}.`, { cause: error });
}

/** The headers of every message to /mcp. */
function headersFor(key: string): Record<string, string> {
  return {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
}
