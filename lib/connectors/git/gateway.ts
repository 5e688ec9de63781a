import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { EgressFault } from '../../egress/egress-fault.js';
import { BodyTooLarge } from '../../egress/read-foreign-body.js';
import type { Randomness } from '../../domain/clock.js';
import { SourceFault } from '../source.js';
import type { GitLimits } from './git-limits.js';
import { answerTypes, type GitService, type GitUpstream } from './git-upstream.js';
import { PacketLines } from './packet-lines.js';

/** Bytes of one request of git. It names the commits that are there, and here there is one. */
const maxRequestBytes = 1024 * 1024;
/** The same, inflated. */
const maxInflated = 4 * 1024 * 1024;
const maxHeaderSize = 16 * 1024;
/** Where git finds the repository on the gateway. */
const root = '/repository';
const tokenHeader = 'cartulary-gateway';

/** The two requests of a fetch. */
const services: Readonly<Record<string, GitService>> = {
  [`GET ${root}/info/refs?service=git-upload-pack`]: 'references',
  [`POST ${root}/git-upload-pack`]: 'objects',
};

/** How a request for objects begins, in the newer protocol and in the older one. */
const asksForObjects = /^[0-9a-f]{4}(?:command=fetch|want )/i;

const inflate = promisify(gunzip);

type AnswerBounds = Pick<GitLimits, 'referenceBytes' | 'packBytes'>;

/**
 * The only address that git may talk to: a port on loopback, for the time of one run. It passes the two requests of a
 * fetch on to one repository, through checked connections of this process, which has the credentials. So git never
 * has them, resolves no name, and reaches nothing else. A random token keeps other programs of this machine out.
 */
export class GitGateway {
  readonly #server: Server;
  readonly #upstream: GitUpstream;
  readonly #token: string;
  readonly #running = new AbortController();
  #port = 0;
  #bounds: AnswerBounds = { referenceBytes: 0, packBytes: 0 };
  #fault: EgressFault | undefined;

  private constructor(upstream: GitUpstream, randomness: Randomness) {
    this.#upstream = upstream;
    this.#token = Buffer.from(randomness.bytes(32)).toString('hex');
    this.#server = createServer({ maxHeaderSize }, (request, response) => void this.#answer(request, response));
    this.#server.maxConnections = 4;
  }

  /** @param upstream is closed with the gateway */
  static async open(upstream: GitUpstream, randomness: Randomness): Promise<GitGateway> {
    const gateway = new GitGateway(upstream, randomness);
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
  get fault(): EgressFault | undefined {
    return this.#fault;
  }

  /** @param bounds of each answer from now on */
  begin(bounds: AnswerBounds): void {
    this.#bounds = bounds;
    this.#fault = undefined;
  }

  async close(): Promise<void> {
    this.#running.abort();
    this.#server.closeAllConnections();
    this.#upstream.close();
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
      const { headers } = request;
      const body = service === 'objects' ? await readRequest(request) : undefined;
      const { referenceBytes, packBytes } = this.#bounds;
      // git writes a pack to the disk, and holds every other answer in memory.
      const isFetch = body !== undefined && asksForObjects.test(body.toString('latin1', 0, 32));
      const maxBytes = isFetch ? packBytes : referenceBytes;
      const greetingBytes = referenceBytes;
      const answer = await this.#upstream.ask({ service, headers, body, maxBytes, greetingBytes, signal });
      response.writeHead(200, { 'content-type': answerTypes[service], 'cache-control': 'no-cache' });
      await pipeline(boundHead(answer, referenceBytes), response);
    } catch (error) {
      if (signal.aborted) return;
      this.#fault ??= asFault(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { connection: 'close' }).end();
    }
  }

  #isKnown(token: string | string[] | undefined): boolean {
    const [given, known] = [Buffer.from(typeof token === 'string' ? token : ''), Buffer.from(this.#token)];
    return given.length === known.length && timingSafeEqual(given, known);
  }
}

function asFault(error: unknown): EgressFault {
  if (error instanceof BodyTooLarge) return new SourceFault('limit', tooLarge, { cause: error });
  if (error instanceof EgressFault) return error;
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
  const body = Buffer.concat(pieces);
  return request.headers['content-encoding'] === 'gzip' ? inflate(body, { maxOutputLength: maxInflated }) : body;
}

/**
 * Passes the answer to a fetch on. git holds all of it in memory that comes before the pack, so that part is bounded.
 * @param maxBytes before the pack
 * @throws BodyTooLarge
 */
async function* boundHead(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  // The older protocol announces no pack, but the pack comes in the first channel.
  const lines = new PacketLines(({ start }) => start.startsWith('packfile') || start.startsWith('\u0001'));
  let bytes = 0;
  let isHead = true;
  for await (const piece of pieces) {
    // Bytes that are no lines are never a pack; git ends at them.
    if (isHead) isHead = lines.look(Buffer.from(piece.buffer, piece.byteOffset, piece.length)) !== 'end';
    if (isHead) bytes += piece.length;
    if (bytes > maxBytes) throw new BodyTooLarge();
    yield piece;
  }
}
