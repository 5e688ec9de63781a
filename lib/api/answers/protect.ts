import type { IncomingMessage } from 'node:http';
import { isPreflight, originHeaders, preflightHeaders } from '../../http/cross-origin.js';
import type { HeaderLines } from '../../http/header-lines.js';

const exposed =
  'ETag, Location, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed, ' +
  'Accept-Ranges, Content-Disposition, Content-Range';

const preflight = preflightHeaders({
  methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  headers: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range',
  maxAge: 600,
});

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
