import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Release } from '../access/work-limiter.js';
import { sourceOf } from '../access/work-limits.js';
import { overLimit } from '../audit/record-tallies.js';
import { makeIdentifier } from '../domain/identifier.js';
import { goesOn, internal, invalidRequest, Refusal } from '../domain/refusal.js';
import { logWhenDone } from '../http/log-when-done.js';
import type { MountedFace } from '../http/port.js';
import { nothingRuns, protections } from '../http/protections.js';
import { leaveUnread } from '../http/unread-body.js';
import { UnrelatedHistories } from '../operations/repositories/unrelated-histories.js';
import { refuseUnread, unknownRequest } from '../operations/perform.js';
import type { RemoteDependencies, RemoteOptions } from './dependencies.js';
import { presentProblem } from './present-problem.js';
import { recognise, type Recognised } from './recognise.js';
import { readVersion, type RemoteAnswer, type RemoteRequest } from './remote-request.js';
import { findLoggedRoute, findRoute, isRemotePath, type FoundRoute } from './routes.js';
import { UnservedRequest } from './unserved-request.js';

/** Headers of every answer: nothing here is a page, and no cache may keep an answer. */
const ownProtections: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-store',
  'Content-Security-Policy': nothingRuns,
  ...protections,
};

/** One request on its way. */
interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Room held by the request until its answer has left, or its client has. */
  readonly held: Release[];
  /** Aborted when the client goes before it has the answer. */
  readonly gone: AbortController;
  /** For the log: the key's id. */
  credential: string | null;
  /** For the log's observer: what it was refused with. */
  refusal: Refusal | undefined;
}

/** Git over HTTP on the service's port, at /git. */
export function mountRemote(dependencies: RemoteDependencies, options: RemoteOptions): MountedFace {
  const unrelated = new UnrelatedHistories(dependencies.clock);
  return {
    takes: isRemotePath,
    handle(request, response) {
      const id = makeIdentifier('req', dependencies.randomness);
      const exchange = begin(id, request, response);
      logWhenDone(options, 'git', request, response, () => {
        const { credential, refusal } = exchange;
        return { id, route: findLoggedRoute(request.url ?? ''), credential, refusal };
      });
      response.setHeader('X-Request-Id', id);
      for (const [name, value] of Object.entries(ownProtections)) response.setHeader(name, value);
      serve(dependencies, options, exchange, unrelated).catch((error: unknown) =>
        sendProblem(options, exchange, error),
      );
    },
  };
}

async function serve(
  dependencies: RemoteDependencies,
  options: RemoteOptions,
  exchange: Exchange,
  unrelated: UnrelatedHistories,
): Promise<void> {
  const { id, request, response } = exchange;
  const { host, authorization } = request.headers;
  if (host === undefined && request.httpVersion === '1.1') {
    throw invalidRequest('missing_field', 'The header Host is required.', { field: 'Host' });
  }
  const recognised = recognise(dependencies, options, authorization, options.addressOf(request), id);
  exchange.credential = recognised.caller.credentialId;
  const hold = (release: Release): void => {
    if (response.closed) release();
    else exchange.held.push(release);
  };
  takePlace(dependencies, options, recognised, hold);
  const route = await findRouteOrRecord(recognised, request);
  const isHere = route.workspace === recognised.workspace.name;
  const version = readVersion(request.headers['git-protocol']);
  const { signal } = exchange.gone;
  const asked: RemoteRequest = { ...recognised, isHere, version, unrelated, request, response, signal, hold };
  await send(exchange, await route.answer(asked));
}

function begin(id: string, request: IncomingMessage, response: ServerResponse): Exchange {
  const exchange = {
    id,
    request,
    response,
    held: [] as Release[],
    gone: new AbortController(),
    credential: null,
    refusal: undefined,
  };
  response.once('close', () => {
    if (!response.writableFinished) exchange.gone.abort(goesOn('The client is gone.'));
    for (const release of exchange.held.splice(0)) release();
  });
  return exchange;
}

/** Counts the request among those under way for its key. @throws Refusal RATE_LIMITED, UNAVAILABLE */
function takePlace(
  { workLimits }: RemoteDependencies,
  { later }: RemoteOptions,
  { workspace, caller }: Recognised,
  hold: (release: Release) => void,
): void {
  try {
    hold(workLimits.requests.takeNow(sourceOf(workspace.name, caller)));
  } catch (error) {
    later.countRefused(workspace, 'git', overLimit, caller.credentialId ?? '');
    throw error;
  }
}

/** @throws UnservedRequest, Refusal; recorded */
async function findRouteOrRecord(
  { workspace, caller }: Recognised,
  { method = '', url = '' }: IncomingMessage,
): Promise<FoundRoute> {
  try {
    return findRoute(method, url);
  } catch (error) {
    const refusal = error instanceof UnservedRequest ? invalidRequest('bad_field', error.message) : error;
    const recorded = await refuseUnread(workspace, caller, unknownRequest, {}, refusal);
    throw error instanceof UnservedRequest && recorded === refusal ? error : recorded;
  }
}

async function send({ request, response }: Exchange, { contentType, head, content }: RemoteAnswer): Promise<void> {
  if (response.destroyed) {
    if (content instanceof Readable) content.destroy();
    return;
  }
  leaveUnread(request, response);
  response.setHeader('Content-Type', contentType);
  if (Buffer.isBuffer(content)) {
    response.end(head === undefined ? content : Buffer.concat([head, content]));
    return;
  }
  if (head !== undefined && head.length > 0) response.write(head);
  await pipeline(content, response);
}

function sendProblem({ log }: RemoteOptions, exchange: Exchange, error: unknown): void {
  const { id, request, response } = exchange;
  const isKnown = error instanceof Refusal || error instanceof UnservedRequest;
  const known = isKnown ? error : internal(error);
  if (known instanceof Refusal) exchange.refusal = known;
  const isFault = known instanceof Refusal && known.code === 'INTERNAL';
  // A stream that broke off has left its own record, and a client may leave at any time.
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  if (isFault) log.error({ id, err: known.cause ?? known }, 'A request failed');
  const { status, headers, contentType, text } = presentProblem(known);
  const body = Buffer.from(`${text}\n`);
  leaveUnread(request, response);
  const all = { ...headers, 'Content-Type': contentType, 'Content-Length': body.length };
  response.writeHead(status, all).end(request.method === 'HEAD' ? undefined : body);
}
