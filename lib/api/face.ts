import type { IncomingMessage, ServerResponse } from 'node:http';
import { limitRate } from '../access/limit-rate.js';
import type { Release } from '../access/work-limiter.js';
import { sourceOf } from '../access/work-limits.js';
import { overLimit } from '../audit/record-tallies.js';
import type { Caller } from '../domain/caller.js';
import { makeIdentifier } from '../domain/identifier.js';
import { rootLocation, type Location } from '../domain/location.js';
import { internal, invalidRequest, noSuchPath, notFound, rateLimited, Refusal } from '../domain/refusal.js';
import { requireShortHeaders } from '../domain/short-header.js';
import { logWhenDone } from '../http/log-when-done.js';
import { isStillSending, isWorthReading } from '../http/unread-body.js';
import { refuseUnread, unknownRequest } from '../operations/perform.js';
import type { Workspace } from '../workspace/workspace.js';
import { answerMethods, noContent, withHeader, type Answer } from './answers/answer.js';
import type { HeaderLines } from './answers/header-lines.js';
import { admitOrigin, beginHeaders } from './answers/protect.js';
import { answerAndHangUp, isReaderGone, sendAnswer } from './answers/send-answer.js';
import type { ApiDependencies, ApiOptions, Asking } from './dependencies.js';
import type { Arrival } from './requests/checked-request.js';
import { presentProblem } from './problem.js';
import { findChecker } from './requests/check-syntax.js';
import { missingHeader } from './requests/explain-invalid.js';
import { chooseRoute, locationOf, methodsOf, RouteFinder, type FoundPath } from './requests/find-route.js';
import { parseParameters, splitTarget, unknownParameter, type Target } from './requests/parse-target.js';
import { chooseForm, limitsOf, readJson, takeFile, takeRaw, type Body } from './requests/read-body.js';
import type { OpenRoute, Route } from './route.js';

/** One request on its way, and the facts found about it. */
interface RequestContext extends Arrival {
  /** Headers for the answer, independent of its content. */
  readonly lines: HeaderLines;
  /** Room held by the request until its answer has left. */
  readonly held: Release[];
  /** For the log: the route's path, never the location in it; null until it is known. */
  route: string | null;
  /** For the log: the key's id. */
  credential: string | null;
  /** For the log's observer: what the request was refused with. */
  refusal: Refusal | undefined;
  /** For the record of an unreadable request. */
  action: string;
  location: Location | undefined;
}

/** A target, and its path as the rows have it. */
interface PlacedTarget extends Target {
  readonly row: string;
}

/** An API, straight on Node's server. `#answer` and `#read` list the steps of a request. */
export class ApiFace {
  readonly #dependencies: ApiDependencies;
  readonly #options: ApiOptions;
  readonly #ids = new WeakMap<ServerResponse, string>();
  readonly #open: RouteFinder<OpenRoute>;
  readonly #routes: RouteFinder<Route>;
  readonly #syntax: ReturnType<typeof findChecker>;

  constructor(dependencies: ApiDependencies, options: ApiOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#open = new RouteFinder(options.openRoutes);
    this.#routes = new RouteFinder(options.routes);
    this.#syntax = findChecker(options.description, options.validateResponses);
  }

  /** Answers any request. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const context = this.#makeContext(makeIdentifier('req', this.#dependencies.randomness), request, response);
    this.#ids.set(response, context.id);
    response.once('close', () => {
      for (const release of context.held.splice(0)) release();
    });
    logWhenDone(this.#options, this.#options.face, request, response, () => {
      const { id, route, credential, refusal } = context;
      return { id, route, credential, refusal };
    });
    try {
      const answer = await this.#answer(context);
      if (isStillSending(request)) request.resume();
      await sendAnswer(response, answer, context.lines);
    } catch (error) {
      await this.#sendProblem(context, error);
    }
  }

  /** The id of the request for a response; undefined for a response of another face. */
  idOf(response: ServerResponse): string | undefined {
    return this.#ids.get(response);
  }

  #makeContext(id: string, request: IncomingMessage, response: ServerResponse): RequestContext {
    const lines = beginHeaders(this.#options.cacheControl, id);
    const unknown = { route: null, credential: null, refusal: undefined, action: unknownRequest, location: undefined };
    return { id, request, response, lines, held: [], ...unknown };
  }

  /** The steps of every request, in order. @throws Refusal */
  async #answer(context: RequestContext): Promise<Answer> {
    requireHost(context);
    if (admitOrigin(context.request, context.lines, this.#options.corsOrigins)) return noContent;
    const target = splitTarget(context.request.url ?? '');
    const open = this.#open.find(target.path);
    if (open !== undefined) return this.#answerOpenly(context, open, target);
    const entry = this.#options.enter(target.path);
    const found = entry === undefined ? undefined : this.#routes.find(entry.path);
    if (found !== undefined) context.route = this.#options.logPrefix + found.path;
    if (context.request.method === 'OPTIONS') return answerOptions(found);
    if (entry === undefined) throw notFound();
    const asking = entry.recognise(context);
    context.credential = asking.caller.credentialId;
    this.#limitRate(context, asking);
    asking.noteUse?.();
    this.#takePlace(context, asking);
    const perform = await this.#readOrRecord(context, found, { ...target, row: entry.path }, asking);
    return leadBelow(entry.prefix, await perform());
  }

  /**
   * The steps for reading a caller's request, in order. They change nothing.
   * @returns a function that performs the operation and presents its result
   * @throws Refusal
   */
  async #read(
    context: RequestContext,
    found: FoundPath<Route> | undefined,
    target: PlacedTarget,
    asking: Asking,
  ): Promise<() => Promise<Answer>> {
    const { request } = context;
    if (found === undefined) throw noSuchPath();
    const usual = chooseRoute(found, request.method ?? '');
    const route = usual.variantFor?.((name) => readHeader(request, name)) ?? usual;
    context.action = route.action;
    context.location = locationOf(found);
    requireShortHeaders(request.headers, headersRead);
    const parameters = this.#parseParameters(route, target);
    requireHeader(route, request);
    const body = await this.#readBody(context, route, asking);
    const placed = { path: target.row, query: target.query };
    const query = await this.#checkSyntax(context, route.path, placed, parameters, body);
    const { workspace, caller, policy } = asking;
    return route.read({
      method: request.method === 'HEAD' ? 'HEAD' : route.method,
      route: route.path,
      workspace,
      caller,
      policy,
      location: context.location ?? rootLocation,
      pathId: found.ids[0] ?? '',
      query,
      sent: { path: target.path, query: target.query, parameters },
      header: (name) => readHeader(request, name),
      body,
      cursors: this.#dependencies.cursors,
      standAside: () => standAside(context),
      departure: () => followDeparture(context),
    });
  }

  /** Reads the request, and records the refusal of an unreadable one. @throws Refusal, recorded */
  async #readOrRecord(
    context: RequestContext,
    found: FoundPath<Route> | undefined,
    target: PlacedTarget,
    asking: Asking,
  ): Promise<() => Promise<Answer>> {
    try {
      return await this.#read(context, found, target, asking);
    } catch (error) {
      const { action, location } = context;
      const note = location === undefined ? {} : { target: location };
      throw await refuseUnread(asking.workspace, asking.caller, action, note, error);
    }
  }

  async #answerOpenly(context: RequestContext, found: FoundPath<OpenRoute>, target: Target): Promise<Answer> {
    context.route = found.path;
    if (context.request.method === 'OPTIONS') return answerOptions(found);
    const route = chooseRoute(found, context.request.method ?? '');
    const { path, describedAs = path, method } = route;
    if (route.takesBody === true) {
      if (target.query !== '') throw unknownParameter(target.query.slice(0, 40), []);
      return route.answerOpenly(context, found.ids);
    }
    const described = { ...target, path: describedAs };
    await this.#checkSyntax(
      context,
      describedAs,
      described,
      this.#parseParameters({ path: describedAs, method }, target),
    );
    return route.answerOpenly(context, found.ids);
  }

  /** Holds the caller to its rate. @throws Refusal RATE_LIMITED */
  #limitRate({ lines }: RequestContext, { workspace, caller, source, requestsPerMinute, policy }: Asking): void {
    const rated = { workspace: workspace.name, source: caller.countedAs ?? source, requestsPerMinute, policy };
    const allowance = limitRate(this.#dependencies.limiter, rated);
    lines.set('X-RateLimit-Limit', String(allowance.limit));
    lines.set('X-RateLimit-Remaining', String(allowance.remaining));
    if (allowance.allowed) return;
    this.#options.later.countRefused(workspace, this.#options.face, overLimit, source);
    throw rateLimited(allowance.retryAfter);
  }

  /** Counts the request among those under way for its caller. @throws Refusal RATE_LIMITED, UNAVAILABLE */
  #takePlace(context: RequestContext, { workspace, source, caller }: Asking): void {
    try {
      hold(context, this.#dependencies.workLimits.requests.takeNow(sourceOf(workspace.name, caller)));
    } catch (error) {
      this.#options.later.countRefused(workspace, this.#options.face, overLimit, source);
      throw error;
    }
  }

  /** Reads the body in one of the route's forms, or prepares it for reading. @throws Refusal */
  async #readBody(context: RequestContext, route: Route, { workspace, caller, policy }: Asking): Promise<Body> {
    const { request, response } = context;
    const { takes, carriesContent } = route;
    if (takes.length === 0) return { form: 'none' };
    const header = (name: string): string | undefined => readHeader(request, name);
    const limits = limitsOf(policy, route.isRetried({ workspace, caller, header }));
    const { bodies, uploads } = this.#dependencies.workLimits;
    const source = sourceOf(workspace.name, caller);
    const reading = {
      request,
      response,
      carriesContent,
      limits,
      async takeRoom(bytes: number) {
        requireWriter(workspace, caller);
        hold(context, await bodies.take(source, bytes));
      },
      takeUpload: async () => hold(context, await uploads.take(source)),
    };
    const read = { json: readJson, raw: takeRaw, file: takeFile };
    return read[chooseForm(request.headers, takes)](reading);
  }

  #parseParameters({ path, method }: Pick<Route, 'path' | 'method'>, { query }: Target): Record<string, string> {
    return parseParameters(query, () => this.#syntax.nameParameters(path, method));
  }

  /** @returns the query's parameters converted to their types, with defaults */
  #checkSyntax(
    { request, response, id }: RequestContext,
    path: string,
    target: Target,
    parameters: Readonly<Record<string, string>>,
    body: Body = { form: 'none' },
  ): Promise<Record<string, unknown>> {
    const onBadAnswer = (error: unknown): void => {
      void this.#sendProblem(this.#makeContext(id, request, response), error);
    };
    return this.#syntax.check({ request, response, path, target, parameters, body, onBadAnswer });
  }

  async #sendProblem(context: RequestContext, error: unknown): Promise<void> {
    const { id, request, response, lines } = context;
    const refusal = error instanceof Refusal ? error : internal(error);
    context.refusal = refusal;
    if (refusal.code === 'INTERNAL' && !isReaderGone(error)) {
      this.#options.log.error({ id, err: refusal.cause ?? refusal }, 'A request failed');
    }
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    try {
      const answer = presentProblem(refusal, id, this.#options.challenge);
      if (isStillSending(request)) {
        if (!isWorthReading(request)) {
          await answerAndHangUp(request, response, answer, lines);
          return;
        }
        request.resume();
      }
      await sendAnswer(response, answer, lines);
    } catch (fault) {
      this.#options.log.error({ id, err: fault }, 'A refusal could not be sent');
      response.destroy();
    }
  }
}

/** Headers read from callers' requests, except the key. */
const headersRead = [
  'Accept',
  'Accept-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Last-Event-ID',
  'Range',
];

/** Rows know neither their face nor a proxy, so their addresses get the path in front of them here. */
function leadBelow(prefix: string, answer: Answer): Answer {
  const to = answer.headers['Location'];
  return to === undefined ? answer : withHeader(answer, 'Location', prefix + to);
}

/**
 * The methods of a path, for anyone: the description names them too.
 * @throws Refusal NOT_FOUND for an unknown path
 */
function answerOptions(found: FoundPath<unknown> | undefined): Answer {
  if (found === undefined) throw notFound();
  return answerMethods([...methodsOf(found), 'OPTIONS']);
}

/** RFC 9112 §3.2 asks for a refusal. */
function requireHost({ request }: RequestContext): void {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return;
  throw invalidRequest('missing_field', 'The header Host is required.', { field: 'Host' });
}

/** Checked before the body is read, since the body may be long. */
function requireHeader({ requires }: Route, request: IncomingMessage): void {
  if (requires !== undefined && (readHeader(request, requires) ?? '') === '') {
    throw missingHeader(requires, request.headers['if-none-match'] !== undefined);
  }
}

/** A header that may appear once at most. */
function readHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

/** Keeps room for the request until its answer has left, or its client has. */
function hold({ held, response }: RequestContext, release: Release): void {
  if (response.closed) release();
  else held.push(release);
}

/** Gives back all room of a request whose answer may come late. */
function standAside(context: RequestContext): AbortSignal {
  for (const release of context.held.splice(0)) release();
  return followDeparture(context);
}

/** @returns aborted when the answer has left, or the connection has ended */
function followDeparture(context: RequestContext): AbortSignal {
  const departure = new AbortController();
  hold(context, () => departure.abort());
  return departure.signal;
}

/** A caller without any right to write cannot make the service read a large body. @throws Refusal NOT_FOUND */
function requireWriter(workspace: Workspace, caller: Caller): void {
  if (!workspace.view(caller).reach.holdsSomewhere('editor')) throw notFound();
}
