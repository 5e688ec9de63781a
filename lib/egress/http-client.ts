import { request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Clock } from '../domain/clock.js';
import { EgressFault } from './egress-fault.js';
import { CheckedAgent, type AgentMeans } from './checked-agent.js';
import { describeNetworkFault } from './describe-network-fault.js';
import { isAllowed } from './dial.js';
import { formatHostAndPort, normalizeHost } from './host-and-port.js';
import { readBody, type Timeouts } from './read-foreign-body.js';
import { writeBody, type StreamedBody } from './write-body.js';

export interface HttpMeans extends AgentMeans {
  readonly clock: Clock;
  readonly timeouts?: Timeouts;
}

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'PROPFIND' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | StreamedBody;
  /** Sent once only, also over a connection that the server closed meanwhile: doing it twice is another thing. */
  readonly isOnce?: boolean;
  /** Bytes of the answer's body. One more is a fault. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Takes the bytes as they were stored, in whatever encoding their header names. Otherwise an encoding is refused. */
  readonly isRaw?: boolean;
  /** Whether a redirect to an address of the same origin may be followed. No redirect is, when left out. */
  readonly mayFollow?: (target: URL) => boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Where it came from, after redirects. */
  readonly url: URL;
  /** It has to be read to its end, or left by `break`. Once only. @throws EgressFault */
  readonly body: AsyncIterable<Buffer>;
  /** Ends an answer with an unread body. */
  discard(): void;
}

const usualTimeouts: Timeouts = { head: 60_000, idle: 30_000, body: 10 * 60_000 };
const maxHeaderSize = 32 * 1024;
const maxRedirects = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Speaks HTTP with one origin, through checked connections. It follows no redirect to another origin, decompresses
 * nothing, and bounds the size and the time of every answer.
 */
export class HttpClient {
  readonly #agent: CheckedAgent;
  readonly #origin: string;
  readonly #means: HttpMeans;
  readonly #timeouts: Timeouts;

  /** @param root an address of the origin */
  constructor(root: URL, means: HttpMeans) {
    this.#agent = new CheckedAgent(root.protocol === 'https:' ? 'https:' : 'http:', means);
    this.#origin = root.origin;
    this.#means = means;
    this.#timeouts = means.timeouts ?? usualTimeouts;
  }

  /** @throws EgressFault when no answer comes; what the body throws when it cannot be read */
  async request(asked: HttpRequest): Promise<HttpAnswer> {
    let { url } = asked;
    for (let followed = 0; ; followed++) {
      const message = await this.#sendTwice({ ...asked, url });
      const next = this.#redirectOf(message, url, asked);
      if (next === undefined) return this.#answer(message, url, asked);
      message.destroy();
      if (followed === maxRedirects)
        throw new EgressFault('network', 'The server redirects too many times. Check its address.');
      url = next;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A server may close a connection that was kept open in the moment when we use it again. */
  async #sendTwice(asked: HttpRequest): Promise<IncomingMessage> {
    try {
      return await this.#send(asked);
    } catch (error) {
      asked.signal.throwIfAborted();
      if (!(error instanceof StaleConnection)) throw error;
      if (asked.isOnce === true) throw describeNetworkFault(error.cause, this.#origin);
      return this.#send(asked);
    }
  }

  async #send(asked: HttpRequest): Promise<IncomingMessage> {
    const { signal, url } = asked;
    signal.throwIfAborted();
    if (url.origin !== this.#origin)
      throw new EgressFault(
        'denied_egress',
        `The server names an address outside ${this.#origin}, which is not asked.`,
      );
    const request = this.#open(asked);
    const abort = (): void => void request.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    const giveUp = (): void =>
      void request.destroy(new EgressFault('network', 'The server does not answer in time. It is asked again later.'));
    let timer = setTimeout(giveUp, this.#timeouts.head);
    let unreadable: { readonly cause: unknown } | undefined;
    try {
      return await new Promise((resolve, reject) => {
        request.once('response', resolve);
        request.on('error', (error) => reject(isStale(request, error) ? new StaleConnection(error) : error));
        if (!isStreamed(asked.body)) request.end(asked.body);
        else {
          // As long as the server takes pieces, it is not late.
          const restart = (): void => void (timer = restartTimer(timer, giveUp, this.#timeouts.head));
          writeBody(request, asked.body, restart).catch((cause: unknown) => {
            unreadable = { cause };
            request.destroy(new Error('the body cannot be read', { cause }));
          });
        }
      });
    } catch (error) {
      signal.throwIfAborted();
      if (unreadable !== undefined) throw unreadable.cause;
      throw error instanceof StaleConnection ? error : describeNetworkFault(error, this.#origin);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  #open({ url, method, headers, body }: HttpRequest): ClientRequest {
    const bytes = isStreamed(body) ? body.bytes : body === undefined ? undefined : Buffer.byteLength(body);
    const length = bytes === undefined ? {} : { 'content-length': String(bytes) };
    try {
      return send(url, {
        agent: this.#agent,
        method,
        maxHeaderSize,
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Cartulary', ...headers, ...length },
      });
    } catch (error) {
      // Its message would quote the header.
      throw new EgressFault('auth', 'The user name or secret has characters that no request can carry.', {
        cause: (error as NodeJS.ErrnoException).code,
      });
    }
  }

  /** @returns where to ask instead */
  #redirectOf(message: IncomingMessage, from: URL, { mayFollow }: HttpRequest): URL | undefined {
    const { location } = message.headers;
    if (!redirects.includes(message.statusCode ?? 0) || location === undefined) return undefined;
    const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    if (target !== undefined && target.origin === this.#origin && target.username === '' && target.password === '') {
      if (mayFollow === undefined) return undefined;
      if (mayFollow(target)) return target;
    }
    message.destroy();
    const where = target === undefined || target.origin === 'null' ? 'another address' : target.origin;
    throw new EgressFault(
      'denied_egress',
      `The server sends us to ${where}, where nobody asked us to go. If that is right, connect that address.`,
    );
  }

  #answer(message: IncomingMessage, url: URL, { isRaw = false, maxBytes, signal }: HttpRequest): HttpAnswer {
    const encoding = message.headers['content-encoding'] ?? 'identity';
    if (!isRaw && encoding.toLowerCase() !== 'identity') {
      message.destroy();
      throw new EgressFault('corrupt', 'The server compresses its answers though it was asked not to.');
    }
    const bounds = { clock: this.#means.clock, timeouts: this.#timeouts, maxBytes, signal, origin: this.#origin };
    return {
      status: message.statusCode ?? 0,
      headers: message.headers,
      url,
      body: readBody(message, bounds),
      discard: () => void message.on('error', () => undefined).destroy(),
    };
  }
}

function isStreamed(body: HttpRequest['body']): body is StreamedBody {
  return typeof body === 'object' && 'open' in body;
}

function restartTimer(timer: NodeJS.Timeout, work: () => void, milliseconds: number): NodeJS.Timeout {
  clearTimeout(timer);
  return setTimeout(work, milliseconds);
}

class StaleConnection extends Error {
  constructor(cause: unknown) {
    super('the connection was closed meanwhile', { cause });
  }
}

function isStale(request: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/**
 * Reads an address of the web that a person typed. The user name and password have places of their own.
 * @throws EgressFault
 */
export function parseWebAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new EgressFault('not_found', 'The address of the server has to begin with https:// and name a host.');
  if (url.username !== '' || url.password !== '')
    throw new EgressFault('auth', 'The address of the server must hold no user name and password.');
  url.hash = '';
  url.search = '';
  return url;
}

/**
 * A secret goes over http only where the operator allows the host: there the network is the operator's own.
 * @param hasSecret what the refusal speaks of
 * @throws EgressFault
 */
export function requirePrivacy(url: URL, allowance: AgentMeans['allowance'], hasSecret = true): void {
  if (url.protocol === 'https:') return;
  const host = normalizeHost(url.hostname);
  const port = Number(url.port === '' ? '80' : url.port);
  if (host !== undefined && isAllowed({ host, port }, allowance)) return;
  const danger = hasSecret
    ? 'the secret would cross the network unprotected'
    : 'others on the network could change what comes';
  const written = host === undefined ? url.host : formatHostAndPort({ host, port });
  throw new EgressFault(
    'denied_egress',
    `With http:// ${danger}. Use https://. Where the network is trusted, who runs the service can allow it: add "${written}" to the setting ${allowance.setting ?? 'connector_hosts'}.`,
  );
}
