import { timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { HttpClient, type HttpAnswer, type HttpMeans } from '../egress/http-client.js';
import { BodyTooLarge } from '../egress/read-body.js';
import type { Randomness } from '../../domain/clock.js';
import { SourceFault } from '../source.js';
import { explainAnswer } from './explain-answer.js';

/** Bytes of one request of git. It names the commits that are there, and here there is one. */
const maxRequestBytes = 1024 * 1024;
const maxHeaderSize = 16 * 1024;
/** Where git finds the repository on the gateway. */
const root = '/repository';
const tokenHeader = 'cartulary-gateway';

/** The two requests of git's smart protocol for fetching, and the type of each one's answer. */
const services: Readonly<Record<string, { readonly path: string; readonly type: string }>> = {
  [`GET ${root}/info/refs?service=git-upload-pack`]: {
    path: '/info/refs?service=git-upload-pack',
    type: 'application/x-git-upload-pack-advertisement',
  },
  [`POST ${root}/git-upload-pack`]: { path: '/git-upload-pack', type: 'application/x-git-upload-pack-result' },
};

/** What git says to a server that the server has to know. */
const forwarded = ['accept', 'content-type', 'content-encoding', 'git-protocol', 'user-agent'] as const;

export interface GatewayMeans extends HttpMeans {
  readonly randomness: Randomness;
}

/**
 * The only address that git may talk to: a port on loopback, for the time of one run. It passes the two requests of a
 * fetch on to one repository, through checked connections and TLS of this process, and adds the credentials. So git
 * never has them, resolves no name, and reaches nothing else. A random token keeps other programs of this machine out.
 */
export class GitGateway {
  readonly #server: Server;
  readonly #client: HttpClient;
  readonly #upstream: URL;
  readonly #authorization: string | undefined;
  readonly #token: string;
  readonly #running = new AbortController();
  #maxBytes = 0;
  #fault: SourceFault | undefined;

  #port = 0;

  private constructor(upstream: URL, authorization: string | undefined, means: GatewayMeans) {
    this.#upstream = upstream;
    this.#authorization = authorization;
    this.#client = new HttpClient(upstream, means);
    this.#token = Buffer.from(means.randomness.bytes(32)).toString('hex');
    this.#server = createServer({ maxHeaderSize }, (request, response) => void this.#answer(request, response));
    this.#server.maxConnections = 4;
  }

  /**
   * @param upstream the repository's address
   * @param authorization the header with the credentials
   */
  static async open(upstream: URL, authorization: string | undefined, means: GatewayMeans): Promise<GitGateway> {
    const gateway = new GitGateway(upstream, authorization, means);
    await new Promise<void>((resolve, reject) => {
      gateway.#server.once('error', reject);
      gateway.#server.listen(0, '127.0.0.1', resolve);
    });
    gateway.#port = (gateway.#server.address() as AddressInfo).port;
    return gateway;
  }

  /** The repository's address for git. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}${root}`;
  }

  /** The header that git has to send. */
  get header(): string {
    return `${tokenHeader}: ${this.#token}`;
  }

  /** What went wrong outside since `begin`. git itself learns only that something did. */
  get fault(): SourceFault | undefined {
    return this.#fault;
  }

  /** @param maxBytes that may come for each request from now on */
  begin(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#fault = undefined;
  }

  async close(): Promise<void> {
    this.#running.abort();
    this.#server.closeAllConnections();
    this.#client.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#running.signal]);
    try {
      const service = services[`${request.method ?? ''} ${request.url ?? ''}`];
      if (!this.#isKnown(request.headers[tokenHeader]) || service === undefined) {
        response.writeHead(403, { connection: 'close' }).end();
        return;
      }
      const answer = await this.#ask(service.path, request, signal);
      const fault = explainAnswer(answer, service.type, this.#upstream);
      if (fault !== undefined) {
        answer.discard();
        throw fault;
      }
      response.writeHead(200, { 'content-type': service.type, 'cache-control': 'no-cache' });
      await pipeline(answer.body, response);
    } catch (error) {
      if (signal.aborted) return;
      this.#fault ??= asFault(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { connection: 'close' }).end();
    }
  }

  async #ask(path: string, request: IncomingMessage, signal: AbortSignal): Promise<HttpAnswer> {
    const url = new URL(this.#upstream);
    const at = path.indexOf('?');
    url.pathname = `${url.pathname.replace(/\/$/, '')}${at < 0 ? path : path.slice(0, at)}`;
    url.search = at < 0 ? '' : path.slice(at);
    return this.#client.request({
      method: request.method === 'POST' ? 'POST' : 'GET',
      url,
      headers: this.#headersFor(request.headers),
      ...(request.method === 'POST' ? { body: await readRequest(request) } : {}),
      maxBytes: this.#maxBytes,
      signal,
    });
  }

  #headersFor(headers: IncomingHttpHeaders): Record<string, string> {
    const sent: [string, string][] = [];
    for (const name of forwarded) {
      const value = headers[name];
      if (typeof value === 'string') sent.push([name, value]);
    }
    if (this.#authorization !== undefined) sent.push(['authorization', this.#authorization]);
    return Object.fromEntries(sent);
  }

  #isKnown(token: string | string[] | undefined): boolean {
    const [given, known] = [Buffer.from(typeof token === 'string' ? token : ''), Buffer.from(this.#token)];
    return given.length === known.length && timingSafeEqual(given, known);
  }
}

function asFault(error: unknown): SourceFault {
  if (error instanceof BodyTooLarge) return new SourceFault('limit', tooLarge, { cause: error });
  if (error instanceof SourceFault) return error;
  return new SourceFault('network', 'The connection to the source broke off. It is tried again later.', {
    cause: error,
  });
}

const tooLarge =
  'The source sends more than one run may take in. Mirror a smaller repository, or a branch without the large files.';

async function readRequest(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxRequestBytes) throw new SourceFault('internal', 'git asks for more than one commit.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
