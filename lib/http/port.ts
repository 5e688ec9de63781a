import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { strictTransport } from './protections.js';

/** Pieces of a body from which on their size is looked at, and the least bytes of one on average. */
const maxSmallPieces = 1000;

const leastAveragePiece = 64;

/** A face on a port. It takes its paths whole. */
export interface MountedFace {
  /** @param path of the request, as sent, without its query; never a path of the port's owner */
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

export interface PortOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The address of the service for clients, as configured; null where none is configured. */
  readonly publicUrl?: string | null;
  /** Connections at once; more are closed. Left out: as many as the system allows. */
  readonly maxConnections?: number;
  /** Paths with this prefix go to `serve`, and so does every path without a mounted face. */
  readonly ownPaths: string;
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Words the answer to bytes that are no HTTP request.
   * @param code of Node's error
   * @param response of the request under way, where its body is malformed
   */
  readonly explainMalformed: (
    code: string | undefined,
    response: ServerResponse | undefined,
  ) => {
    readonly headers: Readonly<Record<string, string>>;
    readonly text: string;
  };
}

/** A listening port. */
export interface Port {
  /** Its address for a client on this machine, provided it listens on one address. */
  readonly url: string;
  readonly port: number;
  mount(face: MountedFace): void;
  /**
   * Takes no new connections, lets requests under way finish, and cuts off the unfinished ones.
   * @param within milliseconds
   */
  close(within: number): Promise<void>;
}

/** Milliseconds in which the headers, and the whole request, must have come. */
const headersTimeout = 20_000;
const requestTimeout = 10 * 60_000;
/** Longer than usual proxies keep an idle connection, so that the proxies close it. */
const keepAliveTimeout = 75_000;
/** Milliseconds of silence on a connection in the middle of a request or answer. */
const silenceTimeout = 2 * 60_000;
/** Milliseconds for a client to read the refusal of bytes that are no HTTP. */
const lingering = 1000;
/** Bytes of request line and headers together: the longest location and the longest cursor fit. */
export const maxHeaderSize = 32 * 1024;

/**
 * Listens for HTTP.
 * @throws Error with the system's code (`EADDRINUSE`, `EACCES`) when the address cannot be listened on
 */
export async function openPort(options: PortOptions): Promise<Port> {
  const { ownPaths, explainMalformed } = options;
  const server = createServer({
    maxHeaderSize,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    // A face refuses a request without Host itself, in the shape of its other errors.
    requireHostHeader: false,
  });
  server.setTimeout(silenceTimeout);
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections;
  // On every answer of every face, even when a request is not HTTP.
  const common = Object.entries(strictTransport(options.publicUrl ?? null));
  const connections = new Connections(server, common);
  const mounted: MountedFace[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.isRefused(request.socket)) return;
    const fault = spokenVersions.has(request.httpVersion) ? findTwice(request) : otherVersion;
    if (fault !== undefined) {
      connections.refuse(request.socket, Object.assign(new Error(fault), { code: fault }), explainMalformed);
      return;
    }
    boundPieces(request);
    connections.begin(request.socket, response);
    for (const [name, value] of common) response.setHeader(name, value);
    const { url = '' } = request;
    const face = url.startsWith(ownPaths) ? undefined : findFace(mounted, url);
    if (face === undefined) options.serve(request, response);
    else face.handle(request, response);
  };
  server.on('request', serve);
  // Only the reader of a body knows whether it is wanted, and invites the client to send it.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    connections.refuse(socket, error, explainMalformed);
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    mount: (face) => void mounted.push(face),
    close: (within) => connections.close(within),
  };
}

/** Node reads 0.9 and 2.0 in a request line, too, and would answer in 1.1. A proxy in front may end it elsewhere. */
const spokenVersions: ReadonlySet<string> = new Set(['1.0', '1.1']);

/** The code of the refusal of a request in another version of HTTP. */
export const otherVersion = 'OTHER_VERSION';

/** Headers of which a request has one. A proxy in front may go by another one than this service does. */
const onlyOnce: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', 'if-match']);

/** The code of the refusal of a request with one of them twice. */
export const headerTwice = 'HEADER_TWICE';

function findTwice({ rawHeaders }: IncomingMessage): typeof headerTwice | undefined {
  const seen: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!onlyOnce.has(name)) continue;
    if (seen.includes(name)) return headerTwice;
    seen.push(name);
  }
  return undefined;
}

function findFace(mounted: readonly MountedFace[], url: string): MountedFace | undefined {
  const [path = ''] = url.split('?', 1);
  return mounted.find((face) => face.takes(path));
}

function listen(server: Server, { host, port }: PortOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * The open connections, and those with a request under way: closing waits for these and no others. Node's own notion of
 * an idle connection leaves out a connection before its first request.
 */
class Connections {
  readonly #server: Server;
  readonly #common: readonly (readonly [string, string])[];
  readonly #open = new Set<Socket>();
  readonly #busy = new Map<Socket, Set<ServerResponse>>();
  readonly #refused = new WeakSet<Socket>();
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
    const under = this.#busy.get(socket) ?? new Set<ServerResponse>();
    this.#busy.set(socket, under.add(response));
    if (this.#isClosing) response.setHeader('Connection', 'close');
    response.on('close', () => {
      under.delete(response);
      if (under.size > 0) return;
      this.#busy.delete(socket);
      if (this.#isClosing) socket.destroySoon();
    });
  }

  /**
   * Answers bytes that are not a request, or a request above the limits of size or time. A body can be malformed too,
   * in its chunks. Its request is answered here unless its answer has begun, or another one is due before it.
   */
  refuse(socket: Socket, error: NodeJS.ErrnoException, explain: PortOptions['explainMalformed']): void {
    // More of the same: the answer is on its way.
    if (this.#refused.has(socket)) return;
    const [response, another] = this.#busy.get(socket) ?? [];
    const isLate = response?.headersSent === true || another !== undefined;
    if (!socket.writable || error.code === 'ECONNRESET' || isLate) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const { headers, text } = explain(error.code, response);
    const lines = {
      ...Object.fromEntries(this.#common),
      ...headers,
      'Content-Length': String(Buffer.byteLength(text)),
      'X-Content-Type-Options': 'nosniff',
      Connection: 'close',
    };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    // RFC 9110 §15.6.6.
    const status = error.code === otherVersion ? '505 HTTP Version Not Supported' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n${text}`);
    // Closing at once would make the client lose the answer.
    const timer = setTimeout(() => socket.destroy(), lingering);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Whether its last answer is on its way: requests behind that are not heard. */
  isRefused(socket: Socket): boolean {
    return this.#refused.has(socket);
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

/**
 * Ends the connection of a body that comes in very many tiny pieces, for example in chunks of one byte. Each piece is a
 * call of the parser, and thousands of them come in one turn of the event loop. No client that we know sends such a body.
 */
function boundPieces(request: IncomingMessage): void {
  const { headers } = request;
  // The parser finds no body then (RFC 9112 §6.3).
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const push = request.push.bind(request);
  let pieces = 0;
  let bytes = 0;
  // The parser hands each piece to this method, whoever reads the body and whether anybody does.
  request.push = (piece: unknown, encoding?: BufferEncoding) => {
    if (piece === null) return push(piece);
    if (request.destroyed) return true;
    pieces += 1;
    bytes += (piece as Buffer).length;
    if (pieces <= maxSmallPieces || bytes >= pieces * leastAveragePiece) return push(piece, encoding);
    request.socket.destroy();
    return true;
  };
}
