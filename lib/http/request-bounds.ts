import type { IncomingMessage } from 'node:http';
import { Refusal } from '../domain/refusal.js';

/** The limits of one route. Everything beyond them is refused before parsing. */
export interface RequestBounds {
  /** Bytes of the query, without the question mark. */
  readonly maxQueryLength: number;
  /** Pairs in the query, or in a form. */
  readonly maxPairs: number;
  /** Bytes of the body; 0 where none is read. */
  readonly maxBodyBytes: number;
}

/** HEAD comes with GET. */
export type Method = 'GET' | 'POST' | 'OPTIONS';

/** Why a request is refused. The status follows RFC 9110 §15.5 or RFC 6585 §5. */
export interface Excess {
  readonly status: 405 | 413 | 414 | 415 | 431;
  /** For people: names the bound. */
  readonly message: string;
  /** The allowed methods, for the header `Allow` of a 405. */
  readonly allow?: string;
}

/** A request beyond the bounds of its route. */
export class BeyondBounds extends Refusal {
  readonly excess: Excess;

  constructor(excess: Excess) {
    super('INVALID_REQUEST', excess.message);
    this.excess = excess;
  }
}

/** @throws BeyondBounds 405 */
export function requireMethod(request: IncomingMessage, methods: readonly Method[]): void {
  const wrong = findWrongMethod(request, methods);
  if (wrong !== undefined) throw new BeyondBounds(wrong);
}

/** @throws BeyondBounds as `findExcess` */
export function requireBounds(request: IncomingMessage, bounds: RequestBounds): void {
  const excess = findExcess(request, bounds);
  if (excess !== undefined) throw new BeyondBounds(excess);
}

/**
 * Bytes of each header that later code parses. Cookies are not listed: browsers also send the cookies of other services
 * on the same domain. `lib/signin/cookies.ts` drops those.
 */
const maxHeaderLengths: Readonly<Record<string, number>> = {
  host: 300,
  origin: 300,
  authorization: 6 * 1024,
  'content-type': 200,
  'access-control-request-method': 50,
  'access-control-request-headers': 1024,
};

/** @returns undefined when the method is allowed */
export function findWrongMethod({ method }: IncomingMessage, methods: readonly Method[]): Excess | undefined {
  if (methods.some((each) => each === method || (each === 'GET' && method === 'HEAD'))) return undefined;
  const allow = methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])).join(', ');
  return { status: 405, message: `Only ${allow} can be used here.`, allow };
}

/**
 * Checks a request against the bounds of its route, in time proportional to the length of the address.
 * @returns undefined when the request is within them
 */
export function findExcess({ url = '', headers }: IncomingMessage, bounds: RequestBounds): Excess | undefined {
  const { maxQueryLength, maxPairs, maxBodyBytes } = bounds;
  const query = queryOf(url);
  if (query.length > maxQueryLength) {
    return { status: 414, message: `The query of this address is too long: at most ${maxQueryLength} bytes are read.` };
  }
  if (countPairs(query) > maxPairs) {
    return { status: 414, message: `The query of this address has too many parts: at most ${maxPairs} are read.` };
  }
  const long = Object.entries(maxHeaderLengths).find(([name, longest]) => String(headers[name] ?? '').length > longest);
  if (long !== undefined) {
    return { status: 431, message: `The header ${long[0]} is too long: at most ${long[1]} bytes are read.` };
  }
  if (isEncoded(headers))
    return { status: 415, message: 'Compressed bodies are not read: leave out Content-Encoding.' };
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 1;
  if (length <= maxBodyBytes) return undefined;
  return {
    status: 413,
    message:
      maxBodyBytes === 0 ? 'No body is read here.' : `The body is too large: at most ${maxBodyBytes} bytes are read.`,
  };
}

/** Whether the headers call the body compressed. No face decodes one, since its bounds are those of the sent bytes. */
export function isEncoded(headers: { readonly 'content-encoding'?: string | undefined }): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity';
}

/** The part after the question mark; '' where there is none. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** The number of pairs in a form or query, before parsing: its ampersands plus one. */
export function countPairs(text: string): number {
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1;
  return count;
}
