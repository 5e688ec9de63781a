import type { components } from './described.js';
import type { QueryOf, OperationOf, RequestOptions } from './operations.js';
import { ConnectionError } from './errors.js';
import { requirePage } from './pages.js';
import type { Requests } from './requests.js';

export type Change = components['schemas']['Change'];
type Query = QueryOf<OperationOf<'GET', '/v1/changes'>>;

export interface FollowOptions extends RequestOptions {
  /** A folder or document; left out, everything in reach. */
  readonly location?: string | undefined;
  readonly kind?: Query['kind'] | undefined;
  /** Where to go on: the `cursor` of a page that was worked through. Left out: all documents in reach, as `entered`. */
  readonly cursor?: string | undefined;
  /** `now`: only what happens after the first page, which is empty and comes at once. It cannot stand beside a cursor. */
  readonly start?: 'now' | undefined;
  /** Whether to wait for more at the end; true when left out. */
  readonly wait?: boolean | undefined;
}

/**
 * A part of the feed. Keep the cursor once its changes are worked through: the next start goes on from it. Two cursors
 * differ also where nothing has happened in between, so nothing follows from comparing them.
 */
export interface ChangePage {
  readonly changes: readonly Change[];
  readonly cursor: string;
}

/** Seconds that a page waits at the service for the first change. */
const maxPoll = 50;

/**
 * The feed, page by page: at least once, and in order for each document. Changes of an interrupted page come again
 * under the same ids. A page can be empty. Without `wait` it ends with the page that reaches the present.
 * @throws ApiError NOT_FOUND where the place is not there for the key any more; ConnectionError; the signal's reason
 */
export async function* followChanges(
  requests: Requests,
  { location, kind, cursor, start, wait = true, signal }: FollowOptions = {},
): AsyncGenerator<ChangePage, void, undefined> {
  const place = { ...(location === undefined ? {} : { location }), ...(kind === undefined ? {} : { kind }) };
  let next = cursor;
  for (;;) {
    const from = next === undefined ? (start === undefined ? {} : { start }) : { cursor: next };
    // A request that is sent again has another now. So the first page comes at once, and the wait has its cursor.
    const seconds = wait && next !== undefined ? maxPoll : 0;
    const query = { ...place, ...from, wait: seconds };
    const { data } = await requests.json('GET', '/v1/changes', { query, signal }, seconds * 1000);
    requirePage(data);
    // A page that is not the last leads further.
    if (data.next_cursor === next && !data.is_current)
      throw new ConnectionError('The feed repeats a cursor, so it would never end.');
    next = data.next_cursor;
    yield { changes: data.items, cursor: next };
    if (!wait && data.is_current) return;
  }
}
