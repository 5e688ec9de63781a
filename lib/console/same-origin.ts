import type { IncomingMessage } from 'node:http';
import { notSignedIn } from '../domain/refusal.js';

/** The header that our pages send. Another site's page can't send it without our permission (Fetch, CORS protocol). */
export const ownHeader = 'x-cartulary-console';

/** Characters: a host's name has 253 at most. */
const maxOriginLength = 300;

/**
 * Lets a request pass only if it comes from a page of ours. A browser adds the session's cookie to requests of other
 * pages too, so the cookie alone proves nothing. `Sec-Fetch-Site` is what a browser says itself, and no page can change
 * it. A browser without it has to send our header with reads as well.
 *
 * A read may also come from the person who types an address or opens a bookmark (`none`).
 * @param ownOrigin of the service; null where several names of this machine will do
 * @throws Refusal UNAUTHENTICATED, as for a missing session
 */
export function requireOwnPage({ method, headers }: IncomingMessage, ownOrigin: string | null): void {
  const isRead = method === 'GET' || method === 'HEAD';
  const isMarked = headers[ownHeader] === '1';
  const site = headers['sec-fetch-site'];
  const isFromHere = site === 'same-origin' || (isRead && site === 'none') || (site === undefined && isMarked);
  if (!isFromHere || (!isRead && !isMarked) || !isOwnOrigin(headers, ownOrigin)) throw notSignedIn();
}

/** Browsers send no origin with most reads. */
function isOwnOrigin({ origin, host }: IncomingMessage['headers'], ownOrigin: string | null): boolean {
  if (origin === undefined) return true;
  if (origin.length > maxOriginLength) return false;
  if (ownOrigin !== null) return origin === ownOrigin;
  return URL.canParse(origin) && new URL(origin).host === host;
}
