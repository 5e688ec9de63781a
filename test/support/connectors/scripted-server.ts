import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What one request was. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Answers one request. It may do what no good server does. */
export type Script = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that answers by a script. */
export class ScriptedServer {
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  script: Script;
  readonly asked: Asked[] = [];
  connections = 0;
  port = 0;

  private constructor(script: Script, tls: { readonly key: string; readonly cert: string } | undefined) {
    this.script = script;
    this.#scheme = tls === undefined ? 'http' : 'https';
    const answer: RequestListener = (request, response) => {
      this.asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
      response.on('error', () => undefined);
      this.script(request, response);
    };
    this.#server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
    this.#server.on('connection', () => (this.connections += 1));
  }

  static async open(
    script: Script,
    { tls }: { readonly tls?: { readonly key: string; readonly cert: string } } = {},
  ): Promise<ScriptedServer> {
    const server = new ScriptedServer(script, tls);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    server.port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  /** `host:port`, as the setting connector_hosts has it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** @param host under which it is asked, such as a name that a test resolves */
  url(path = '/', host = '127.0.0.1'): URL {
    return new URL(path, `${this.#scheme}://${host}:${this.port}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
