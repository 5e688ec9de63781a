import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { makeIdentifier } from '../domain/identifier.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';
import { strictTransport } from '../http/strict-transport.js';
import { DeferredAudit } from '../journal/deferred-audit.js';
import { RestFace } from './face.js';
import type { RestDependencies, RestOptions } from './dependencies.js';
import { presentProblem } from './problem.js';

export interface ServerOptions extends Omit<RestOptions, 'later'> {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Where clients find the service, as configured; null where it is not. */
  readonly publicUrl?: string | null;
}

/** Another face on the same port: it takes the paths that it knows, whole. None of them lies below /v1/. */
export interface MountedFace {
  /** @param path of the request, as sent, without its query; never one below /v1/ */
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

export interface RestServer {
  /** Where it listens, as a client on this machine can reach it when it listens on one address. */
  readonly url: string;
  readonly port: number;
  /** Takes what the faces on this port record after the answer. */
  readonly later: DeferredAudit;
  /** The client's address, as the trusted proxies tell it. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Adds a face, which can be made only once the port is known. */
  mount(face: MountedFace): void;
  /**
   * Takes no new connections, lets requests under way finish, cuts off what is not done in time, and writes what was
   * counted.
   * @param within milliseconds
   */
  close(within?: number): Promise<void>;
}

/** Milliseconds in which the headers, and the whole request, must have come. */
const headersTimeout = 20_000;
const requestTimeout = 10 * 60_000;
/** Longer than what usual proxies keep an idle connection, so that it is they who close it. */
const keepAliveTimeout = 75_000;
/** Milliseconds of silence on a connection in the middle of a request or answer. */
const silenceTimeout = 2 * 60_000;
/** Bytes of request line and headers together: the longest location and the longest cursor fit. */
const maxHeaderSize = 32 * 1024;
const defaultTimeout = 10_000;
/** What only this face answers. */
const ownPaths = '/v1/';

/**
 * Starts serving.
 * @throws Error with the system's code (`EADDRINUSE`, `EACCES`) when the address cannot be listened on
 */
export async function startServer(dependencies: RestDependencies, options: ServerOptions): Promise<RestServer> {
  const { log } = options;
  const later = new DeferredAudit({
    clock: dependencies.clock,
    find: (name) => dependencies.find(name),
    names: () => dependencies.names(),
    onFault: (what, cause) => log.error({ err: cause }, what),
  });
  const rest = new RestFace(dependencies, { ...options, later });
  const server = createServer({
    maxHeaderSize,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    // The face refuses a request without Host itself, in the shape of every other error.
    requireHostHeader: false,
  });
  server.setTimeout(silenceTimeout);
  // On every answer of every face, also where a request is no HTTP.
  const common = Object.entries(strictTransport(options.publicUrl ?? null));
  const connections = new Connections(server, common);
  const mounted: MountedFace[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    connections.begin(request.socket, response);
    for (const [name, value] of common) response.setHeader(name, value);
    const { url = '' } = request;
    const face = url.startsWith(ownPaths) ? undefined : findFace(mounted, url);
    if (face === undefined) void rest.serve(request, response);
    else face.handle(request, response);
  };
  server.on('request', serve);
  // Only the one who reads a body knows whether it is wanted, and tells the client to go on.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    connections.refuse(socket, error, () => makeIdentifier('req', dependencies.randomness));
  });
  await listen(server, options);
  await later.start();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    later,
    addressOf: rest.addressOf,
    mount: (face) => void mounted.push(face),
    async close(within = defaultTimeout) {
      await connections.close(within);
      await later.close();
    },
  };
}

function findFace(mounted: readonly MountedFace[], url: string): MountedFace | undefined {
  const [path = ''] = url.split('?', 1);
  return mounted.find((face) => face.takes(path));
}

function listen(server: Server, { host, port }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Which connections there are, and which have a request under way, so that those and no others are waited for. Node's
 * own notion of an idle connection leaves out one on which nothing has been asked yet.
 */
class Connections {
  readonly #server: Server;
  readonly #common: readonly (readonly [string, string])[];
  readonly #open = new Set<Socket>();
  readonly #busy = new Map<Socket, number>();
  #isClosing = false;

  /** @param common headers of every answer */
  constructor(server: Server, common: readonly (readonly [string, string])[]) {
    this.#server = server;
    this.#common = common;
    server.on('connection', (socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  begin(socket: Socket, response: ServerResponse): void {
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1);
    if (this.#isClosing) response.setHeader('Connection', 'close');
    response.on('close', () => {
      const left = (this.#busy.get(socket) ?? 1) - 1;
      if (left > 0) this.#busy.set(socket, left);
      else this.#busy.delete(socket);
      if (left === 0 && this.#isClosing) socket.destroySoon();
    });
  }

  /** Answers what is not HTTP, or too large or too slow to be read as such, in the shape of every other error. */
  refuse(socket: Socket, error: NodeJS.ErrnoException, makeId: () => string): void {
    if (!socket.writable || error.code === 'ECONNRESET' || this.#busy.has(socket)) {
      socket.destroy();
      return;
    }
    const id = makeId();
    const { body, headers } = presentProblem(explainMalformed(error.code), id);
    const text = body.form === 'json' ? JSON.stringify(body.value) : '';
    const lines = {
      ...Object.fromEntries(this.#common),
      ...headers,
      'X-Request-Id': id,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(text)),
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 400 Bad Request\r\n${head.join('')}\r\n${text}`);
  }

  async close(within: number): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#open) if (!this.#busy.has(socket)) socket.destroy();
    const timer = setTimeout(() => this.#server.closeAllConnections(), within);
    await closed;
    clearTimeout(timer);
  }
}

function explainMalformed(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return invalidRequest('bad_field', `The request line and headers are over ${maxHeaderSize} bytes.`, {
      field: 'headers',
    });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return invalidRequest('bad_field', 'The request did not arrive in time.', { field: 'request' });
  }
  return invalidRequest(
    'bad_field',
    'This is not a well-formed HTTP request. In an address, anything beyond ASCII has to be percent-encoded: curl does it with -G --data-urlencode.',
    { field: 'request' },
  );
}
