import type { IncomingMessage } from 'node:http';

/** The requests that one face allows pages of other origins (Fetch standard, CORS protocol). */
export interface CrossOriginRules {
  /** As in `Access-Control-Allow-Methods`. */
  readonly methods: string;
  /** As in `Access-Control-Allow-Headers`. */
  readonly headers: string;
  /** Seconds for which a browser keeps this answer; its own default when left out. */
  readonly maxAge?: number;
}

/** Whether a browser asks for permission before the real request. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** The headers of an answer to a preflight request. */
export function preflightHeaders({ methods, headers, maxAge }: CrossOriginRules): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': headers,
    ...(maxAge === undefined ? {} : { 'Access-Control-Max-Age': String(maxAge) }),
  };
}

/**
 * Headers for an answer, so pages of an origin may read it.
 * @param exposed the answer's headers for the page to read
 */
export function originHeaders(origin: string, exposed: string): Readonly<Record<string, string>> {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed };
}
