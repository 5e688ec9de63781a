import { Readable } from 'node:stream';
import type { CursorOwner } from '../../access/seal-cursor.js';
import type { ChangeKind } from '../../domain/change.js';
import { invalidRequest } from '../../domain/refusal.js';
import type { FeedPage } from '../../feed/read-feed.js';
import type { StreamItem } from '../../operations/feed/feed-stream.js';
import { readChanges, type FeedRead, type ReadFeedInput } from '../../operations/feed/read-feed-pages.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import type { RequestOf } from '../requests/described-request.js';
import { route, type Route } from '../route.js';
import { toChangeRecord } from '../../records/change-record.js';
import { readWhole } from './page-query.js';
import { readFolder } from './read-location.js';

type FeedRequest = RequestOf<'listChanges'>;

const eventStream = 'text/event-stream';
/** Milliseconds after which a client connects again. */
const retryAfter = 2000;
/**
 * Milliseconds for which a cursor opens: a thousand years. A time in it makes two cursors of one position differ, so
 * nobody sees by comparing them whether something hidden happened. `is_current` says what a comparison would.
 */
const forGood = 1000 * 365.25 * 24 * 60 * 60 * 1000;

/**
 * The owner of this request's cursors: the principal, whatever key or session it asks with, and the selection. A new
 * key goes on where the one before it stopped, and a cursor opens on every face (decision 0142).
 */
function ownerOf(request: FeedRequest): CursorOwner {
  const { caller, workspace } = request;
  const kinds = readKinds(request);
  const query = { location: readFolder(request), kind: kinds === null ? undefined : [...kinds].toSorted() };
  return { credential: `${workspace.name}/${caller.principalId}`, route: 'changes', query };
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function readKinds({ query }: FeedRequest): ReadonlySet<ChangeKind> | null {
  const { kind } = query;
  return kind === undefined ? null : new Set(kind);
}

/**
 * `Last-Event-ID` counts before the query, because a browser that connects again repeats the query.
 * @throws Refusal INVALID_REQUEST `bad_cursor`, `bad_field`
 */
function readPosition(request: FeedRequest): string | null {
  const { cursor, start } = request.query;
  if (cursor !== undefined && start !== undefined) {
    throw invalidRequest('bad_field', 'A cursor says where to go on, so start cannot stand beside it.', {
      field: 'start',
    });
  }
  const last = request.header('last-event-id') ?? '';
  const sealed = last === '' ? cursor : last;
  if (sealed !== undefined) return request.cursors.open(sealed, ownerOf(request));
  return start === 'now' ? null : '';
}

function readAsked(request: FeedRequest): ReadFeedInput {
  const isHead = request.method === 'HEAD';
  const isStream = (request.header('accept') ?? '').includes(eventStream);
  return {
    location: readFolder(request),
    kinds: readKinds(request),
    after: readPosition(request),
    limit: readWhole(request, 'limit'),
    // HEAD has the headers of an answer at once.
    wait: isHead ? 0 : 1000 * readWhole(request, 'wait'),
    form: isStream ? 'stream' : 'page',
    standAside: () => request.standAside(),
    departure: () => request.departure(),
  };
}

function sealPosition(position: string, request: FeedRequest): string {
  return request.cursors.seal(position, ownerOf(request), forGood);
}

function presentFeed({ page, stream }: FeedRead, request: FeedRequest): Answer {
  if (stream === null) {
    return answerJson(200, {
      items: page.items.map(toChangeRecord),
      next_cursor: sealPosition(page.next, request),
      is_current: page.isCurrent,
    });
  }
  const { open, leave } = stream;
  return {
    status: 200,
    // A proxy that gathers an answer before it passes it on would hold the events back.
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    body: {
      form: 'flow',
      mediaType: eventStream,
      open: () => Readable.from(writeEvents(page, open(), request), { highWaterMark: 1 }),
      leave,
    },
  };
}

/** Writes server-sent events. The id of the last event of a page is the cursor of the next one. */
async function* writeEvents(
  start: FeedPage,
  items: AsyncGenerator<StreamItem>,
  request: FeedRequest,
): AsyncGenerator<string> {
  // A client that loses the connection before the first event goes on from the beginning of this one.
  yield `retry: ${retryAfter}\nid: ${sealPosition(start.next, request)}\n\n`;
  for await (const item of items) {
    if (item === 'beat') yield ': \n\n';
    else if (item === 'gone') yield 'event: gone\ndata: {}\n\n';
    else yield writePage(item, request);
  }
}

function writePage({ items, next }: FeedPage, request: FeedRequest): string {
  const events = items.map((item) => `data: ${JSON.stringify(toChangeRecord(item))}\n`);
  return `${events.join('\n')}id: ${sealPosition(next, request)}\n\n`;
}

/** What changed for the caller: a page, or a stream of server-sent events. */
export const changeRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/changes', operation: readChanges, read: readAsked, present: presentFeed }),
];
