import type { IncomingMessage } from 'node:http';
import { isPreflight, originHeaders, preflightHeaders } from '../../http/cross-origin.js';
import { nothingRuns, protections } from '../../http/protections.js';
import { HeaderLines } from './header-lines.js';

/** Headers of every answer: nothing here is a page. */
const protectionLines = Object.entries({ 'Content-Security-Policy': nothingRuns, ...protections }).flat();

const exposed =
  'ETag, Location, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed, ' +
  'Accept-Ranges, Content-Disposition, Content-Range';

const preflight = preflightHeaders({
  methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  headers: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range',
  maxAge: 600,
});

/** The first headers of every answer. @param cacheControl no shared cache may keep an answer made for one caller */
export function beginHeaders(cacheControl: string, requestId: string): HeaderLines {
  const lines = new HeaderLines(['Cache-Control', cacheControl, ...protectionLines]);
  lines.set('X-Request-Id', requestId);
  return lines;
}

/**
 * Lets pages of the configured origins read the answer (Fetch standard, CORS protocol); none by default.
 * @param lines of the answer, for the headers of the protocol
 * @returns whether it was a preflight request of such a page; it is answered without a key
 */
export function admitOrigin(request: IncomingMessage, lines: HeaderLines, origins: readonly string[]): boolean {
  if (origins.length === 0) return false;
  lines.vary('Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  lines.setAll(originHeaders(origin, exposed));
  if (!isPreflight(request)) return false;
  lines.setAll(preflight);
  return true;
}
