import { Readable } from 'node:stream';
import type { Change, ChangeKind } from '../domain/change.js';
import { rootLocation } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import type { StreamItem } from '../operations/feed/feed-stream.js';
import { readChanges } from '../operations/feed/read-feed-pages.js';
import { perform, refuseUnread } from '../operations/perform.js';
import { answerError, rpcCodes, type Answer } from './rpc-answer.js';
import { readMessage } from './read-message.js';
import type { RequestContext } from './request-context.js';
import { serverInfoKey, subscriptionKey } from './subscription-terms.js';
import { Watched } from './watched.js';

/** Documents and folders of one subscription. */
export const maxWatched = 100;
/** Changes read at a time. A reader that is slow has as many in memory. */
const pageSize = 100;

/** What a client wants to hear of, as the protocol's library understood it. */
interface Wanted {
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** Changes of the list of documents. */
const listKinds: ReadonlySet<ChangeKind> = new Set([
  'created',
  'moved',
  'renamed',
  'deleted',
  'undeleted',
  'entered',
  'left',
]);
/** Changes of what is read at an address. Labels, comments and claims are not in it. */
const contentKinds: ReadonlySet<ChangeKind> = new Set([...listKinds, 'updated', 'restored', 'mirrored']);

const headers = {
  'Content-Type': 'text/event-stream',
  // A proxy that gathers an answer before it passes it on would hold the events back.
  'X-Accel-Buffering': 'no',
};

/** One request to listen. */
export interface Listening {
  readonly id: string | number;
  /** The library's answer: an open stream with its acknowledgement. */
  readonly opened: Response;
  /** As the program names itself to clients. */
  readonly server: object;
  /** Gives back the request's place among those under way; aborted when the client has left. */
  readonly standAside: () => AbortSignal;
}

/**
 * Answers a request to listen that the protocol's library has accepted. The library would tell any change to anyone who
 * names the address, so what is sent is decided here: each notification comes from a page of the caller's own feed
 * (decision 0240).
 * @throws Refusal RATE_LIMITED, UNAVAILABLE where too many listen
 */
export async function answerListening(listening: Listening, context: RequestContext): Promise<Answer> {
  const { id, opened, standAside } = listening;
  const { first, wanted } = await readAcknowledgement(opened);
  const { resourceSubscriptions: named = [], resourcesListChanged: hasList = false } = wanted;
  // The library's own end of a stream on which nothing could come, or its refusal.
  if (named.length === 0 && !hasList) return { status: opened.status, headers, body: first };
  if (!context.scopes.includes('org:read')) {
    context.lacking = 'org:read';
    return { status: 403, headers: {}, body: '' };
  }
  const { workspace, caller } = context;
  if (named.length > maxWatched) {
    const message = `A subscription names at most ${maxWatched} resources.`;
    await refuseUnread(workspace, caller, readChanges.name, {}, invalidRequest('bad_field', message));
    return answerError(400, rpcCodes.params, message, { id });
  }
  const watched = new Watched(named, workspace.view(caller));
  const { uris } = watched;
  const honored = {
    ...(hasList ? { resourcesListChanged: true } : {}),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
  const words = new Words(listening);
  if (uris.length === 0 && !hasList) {
    return { status: 200, headers, body: words.acknowledge(honored) + words.end() };
  }
  const { stream } = (
    await perform(workspace, caller, readChanges, {
      location: rootLocation,
      kinds: uris.length === 0 ? listKinds : contentKinds,
      after: null,
      limit: pageSize,
      wait: 0,
      form: 'stream',
      standAside,
    })
  ).result;
  if (stream === null) throw new Error('A stream was asked for.');
  const open = (): Readable => {
    const events = tell(stream.open(), { words, context, watched, honored });
    return Readable.from(events, { objectMode: false, highWaterMark: 1 });
  };
  return { status: 200, headers, body: '', stream: { open, leave: stream.leave } };
}

/** Reads what the library's stream begins with; the rest of the stream is not needed. */
async function readAcknowledgement(opened: Response): Promise<{ readonly first: string; readonly wanted: Wanted }> {
  const decoder = new TextDecoder();
  const reader = (opened.body as ReadableStream<Uint8Array>).getReader();
  let first = decoder.decode((await reader.read()).value);
  const message = readMessage(first) as { readonly params?: { readonly notifications?: Wanted } } | undefined;
  const wanted = message?.params?.notifications ?? {};
  if (Object.keys(wanted).length === 0) {
    for (let next = await reader.read(); !next.done; next = await reader.read()) first += decoder.decode(next.value);
  }
  await reader.cancel();
  return { first, wanted };
}

/** The events of one subscription. */
class Words {
  readonly #id: string | number;
  readonly #server: object;

  constructor({ id, server }: Listening) {
    this.#id = id;
    this.#server = server;
  }

  acknowledge(notifications: Wanted): string {
    return this.notify('subscriptions/acknowledged', { notifications });
  }

  notify(name: string, params: object): string {
    const meta = { [subscriptionKey]: this.#id };
    return writeEvent({ method: `notifications/${name}`, params: { ...params, _meta: meta } });
  }

  /** The service's own end of a subscription is the answer to its request. */
  end(): string {
    const meta = { [subscriptionKey]: this.#id, [serverInfoKey]: this.#server };
    return writeEvent({ id: this.#id, result: { resultType: 'complete', _meta: meta } });
  }
}

function writeEvent(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}

interface Told {
  readonly words: Words;
  readonly context: RequestContext;
  readonly watched: Watched;
  readonly honored: Wanted;
}

/** The events of a subscription, from its acknowledgement to its end. */
async function* tell(
  items: AsyncGenerator<StreamItem>,
  { words, context, watched, honored }: Told,
): AsyncGenerator<string> {
  yield words.acknowledge(honored);
  for await (const item of items) {
    if (item === 'gone' || !context.isInForce()) break;
    const events = item === 'beat' ? ': \n\n' : tellPage(item.items, { words, context, watched, honored });
    if (events !== '') yield events;
  }
  yield words.end();
}

function tellPage(changes: readonly Change[], { words, context, watched, honored }: Told): string {
  const { workspace, caller } = context;
  const changed = watched.changed(changes, workspace.view(caller));
  const updates = [...changed].map((uri) => words.notify('resources/updated', { uri }));
  const isListChanged = honored.resourcesListChanged === true && changes.some(({ kind }) => listKinds.has(kind));
  return [...updates, ...(isListChanged ? [words.notify('resources/list_changed', {})] : [])].join('');
}
