import type { Request, Response } from 'express';

/**
 * Headers for every answer: nothing here is a page, so a browser may run, frame and guess nothing, and nobody in
 * between may keep an answer that was made for one key.
 */
const protections: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'private, no-cache'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
];

const exposed =
  'ETag, Location, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed, ' +
  'Accept-Ranges, Content-Disposition, Content-Range';

const preflightHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE'],
  [
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range',
  ],
  ['Access-Control-Max-Age', '600'],
];

export function protect(response: Response): void {
  for (const [name, value] of protections) response.setHeader(name, value);
}

/**
 * Lets pages of the configured origins read the answer (Fetch standard, CORS protocol); none by default.
 * @returns whether it was a preflight request of such a page, which is answered without a key
 */
export function admitOrigin(request: Request, response: Response, origins: readonly string[]): boolean {
  if (origins.length === 0) return false;
  response.vary('Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', exposed);
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
  for (const [name, value] of preflightHeaders) response.setHeader(name, value);
  return true;
}
