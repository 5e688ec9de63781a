import type { IncomingMessage } from 'node:http';

/** What pages of other origins may send to one face (Fetch standard, CORS protocol). */
export interface CrossOriginRules {
  /** As in `Access-Control-Allow-Methods`. */
  readonly methods: string;
  /** As in `Access-Control-Allow-Headers`. */
  readonly headers: string;
  /** Seconds for which a browser keeps this answer; its own default when left out. */
  readonly maxAge?: number;
}

/** Whether a browser asks what a page may send, before it sends that. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** The headers that answer a preflight request. */
export function preflightHeaders({ methods, headers, maxAge }: CrossOriginRules): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': headers,
    ...(maxAge === undefined ? {} : { 'Access-Control-Max-Age': String(maxAge) }),
  };
}

/**
 * The headers that let pages of an origin read an answer.
 * @param exposed the answer's headers that a page may read
 */
export function originHeaders(origin: string, exposed: string): Readonly<Record<string, string>> {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed };
}
