import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { git } from './fixture.js';

export interface GitServerOptions {
  /** What a client has to sign in with; nothing by default. It can be changed later. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Serves https. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** What one request asked for. */
export interface GitRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: number;
}

/** Answers a request in place of git. @returns false to let git answer */
export type Intrusion = (request: IncomingMessage, response: ServerResponse) => boolean;

let backend: string | undefined;

/** Every bare repository below a folder, served by git's own `git http-backend` on loopback. */
export class GitServer {
  readonly #folder: string;
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  readonly #backend = (backend ??= `${git('/', ['--exec-path']).toString('utf8').trim()}/git-http-backend`);
  /** Every request so far. */
  readonly requests: GitRequest[] = [];
  credentials: GitServerOptions['credentials'];
  /** Every answer waits for it, for a server that is slow. */
  held: Promise<void> | undefined;
  /** Comes before git, for a server that lies. */
  intrusion: Intrusion | undefined;

  private constructor(folder: string, { credentials, tls }: GitServerOptions) {
    this.#folder = folder;
    this.credentials = credentials;
    this.#scheme = tls === undefined ? 'http' : 'https';
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.#answer(request, response).catch(() => response.destroy());
    };
    this.#server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  }

  /** @param folder its bare repositories are served under their names */
  static async open(folder: string, options: GitServerOptions = {}): Promise<GitServer> {
    const server = new GitServer(folder, options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `host:port`, as `connector_hosts` has it. */
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The address of a repository. @param name its folder */
  url(name: string): string {
    return `${this.#scheme}://${this.host}/${name}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const seen = { method, url, authorization: headers.authorization, body: 0 };
    this.requests.push(seen);
    request.on('data', (piece: Buffer) => (seen.body += piece.length));
    request.pause();
    await this.held;
    if (this.intrusion?.(request, response) === true) return;
    if (!this.#isWelcome(headers.authorization)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const { pathname, search } = new URL(url, 'http://127.0.0.1');
    const backend = spawn(this.#backend, {
      env: {
        GIT_PROJECT_ROOT: this.#folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: method,
        CONTENT_TYPE: headers['content-type'] ?? '',
        CONTENT_LENGTH: headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
        REMOTE_USER: 'reader',
        PATH: process.env['PATH'],
      },
    });
    backend.on('error', () => response.destroy());
    backend.stdin.on('error', () => undefined);
    request.pipe(backend.stdin);
    response.on('close', () => backend.kill());
    let head = '';
    for await (const piece of backend.stdout as AsyncIterable<Buffer>) {
      if (response.headersSent) {
        response.write(piece);
        continue;
      }
      head += piece.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      respond(response, head.slice(0, end));
      response.write(Buffer.from(head.slice(end + 4), 'latin1'));
    }
    response.end();
    await finished(response);
  }

  #isWelcome(authorization: string | undefined): boolean {
    if (this.credentials === undefined) return true;
    const { username, password } = this.credentials;
    return authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
}

/** The head of a CGI answer as that of an HTTP answer. */
function respond(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const [name = '', ...value] = line.split(': ');
    if (name.toLowerCase() === 'status') status = Number.parseInt(value.join(': '), 10);
    else response.setHeader(name, value.join(': '));
  }
  response.writeHead(status);
}
