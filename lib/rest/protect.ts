import type { IncomingMessage } from 'node:http';
import { HeaderLines } from './header-lines.js';

/**
 * Headers for every answer: nothing here is a page, so a browser may run, frame and guess nothing, and nobody in
 * between may keep an answer that was made for one key.
 */
const protections: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-cache',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};
const protectionLines = Object.entries(protections).flat();

const exposed =
  'ETag, Location, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed, ' +
  'Accept-Ranges, Content-Disposition, Content-Range';

const preflightHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range',
  'Access-Control-Max-Age': '600',
};

/** The headers that every answer begins with. */
export function beginHeaders(requestId: string): HeaderLines {
  const lines = new HeaderLines(protectionLines);
  lines.set('X-Request-Id', requestId);
  return lines;
}

/**
 * Lets pages of the configured origins read the answer (Fetch standard, CORS protocol); none by default.
 * @param lines of the answer, which get what says so
 * @returns whether it was a preflight request of such a page, which is answered without a key
 */
export function admitOrigin(request: IncomingMessage, lines: HeaderLines, origins: readonly string[]): boolean {
  if (origins.length === 0) return false;
  lines.vary('Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  lines.set('Access-Control-Allow-Origin', origin);
  lines.set('Access-Control-Expose-Headers', exposed);
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
  lines.setAll(preflightHeaders);
  return true;
}
