import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Log } from '../domain/log.js';
import { openPort } from '../http/port.js';
import { protections } from '../http/protections.js';
import { findExcess, findWrongMethod } from '../http/request-bounds.js';
import type { Metrics } from './metrics.js';
import type { MeasuredService } from './measure-service.js';

export interface MetricsAddress {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** What a scraper has to show; null for nothing. */
  readonly token: string | null;
}

/** A listener for scrapers. */
export interface MetricsPort {
  /** Where the metrics are. */
  readonly url: string;
  close(within: number): Promise<void>;
}

const path = '/metrics';
/** Some scrapers add parameters. They are not read. */
const bounds = { maxQueryLength: 1024, maxPairs: 32, maxBodyBytes: 0 } as const;
/** A scraper or two, each with a connection; the rest has to wait until one ends. */
const maxConnections = 32;

/**
 * Serves the metrics, and nothing else, on a port of their own.
 * @throws Error with the system's code (`EADDRINUSE`, `EACCES`) when the address cannot be listened on
 */
export async function serveMetrics(
  metrics: Metrics,
  service: MeasuredService,
  { log, ...address }: MetricsAddress & { readonly log: Log },
): Promise<MetricsPort> {
  const { host, token } = address;
  const isLocal = isLoopback(host);
  const wanted = token === null ? undefined : digest(`Bearer ${token}`);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, url = '' } = request;
    const excess = findExcess(request, bounds) ?? findWrongMethod(request, ['GET']);
    if (excess !== undefined) {
      const allow = excess.allow === undefined ? {} : { Allow: excess.allow };
      // A body that comes all the same is not waited for.
      return say(response, excess.status, excess.message, { ...allow, Connection: 'close' });
    }
    // A page whose own name leads to this machine (DNS rebinding) sends its own name. It has no token.
    if (isLocal && wanted === undefined && !isNumericOrLocal(headers.host)) {
      return say(response, 403, 'Ask for the metrics by an address of this machine, or set metrics_token.');
    }
    if (wanted !== undefined && !timingSafeEqual(wanted, digest(headers.authorization ?? ''))) {
      return say(response, 401, 'The token is missing or wrong.', { 'WWW-Authenticate': 'Bearer' });
    }
    if (url.split('?', 1)[0] !== path) return say(response, 404, `The metrics are at ${path}.`);
    const text = await metrics.read(service);
    send(response, 200, text, { 'Content-Type': metrics.contentType });
  }

  const opened = await openPort({
    ...address,
    ownPaths: '/',
    maxConnections,
    serve(request, response) {
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'The metrics could not be read');
        say(response, 500, 'The metrics could not be read. The log says why.');
      });
    },
    explainMalformed: () => ({ headers: { 'Content-Type': plain }, text: 'This is not a well-formed HTTP request.\n' }),
  });
  return { url: `${opened.url}${path}`, close: (within) => opened.close(within) };
}

const plain = 'text/plain; charset=utf-8';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function say(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
  send(response, status, `${text}\n`, { 'Content-Type': plain, ...headers });
}

function send(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>>): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = Buffer.from(text);
  response.writeHead(status, {
    ...protections,
    'Cache-Control': 'no-store',
    'Content-Length': body.length,
    ...headers,
  });
  response.end(body);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isNumericOrLocal(host = ''): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
