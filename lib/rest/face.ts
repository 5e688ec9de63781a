import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../domain/caller.js';
import { formatTime } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import { rootLocation, type Location } from '../domain/location.js';
import { internal, invalidRequest, notFound, rateLimited, Refusal } from '../domain/refusal.js';
import { requireShortHeaders } from '../domain/short-header.js';
import { overLimit } from '../audit/record-tallies.js';
import { limitRate } from '../access/limit-rate.js';
import { sourceOf } from '../access/work-limits.js';
import type { Release } from '../access/work-limiter.js';
import { logWhenDone } from '../http/log-when-done.js';
import { isStillSending, isWorthReading } from '../http/unread-body.js';
import { refuseUnread, unknownRequest } from '../operations/perform.js';
import { withHeader, type Answer } from './answers/answer.js';
import { SyntaxChecker } from './requests/check-syntax.js';
import { describeBelow, readDescription } from './requests/description.js';
import { missingHeader } from './requests/explain-invalid.js';
import { chooseRoute, locationOf, RouteFinder, type FoundPath } from './requests/find-route.js';
import type { HeaderLines } from './answers/header-lines.js';
import type { RestDependencies, RestOptions } from './dependencies.js';
import { makeOpenRoutes } from './resources/open.js';
import { parseParameters, splitTarget, type Target } from './requests/parse-target.js';
import { presentProblem } from './problem.js';
import { admitOrigin, beginHeaders } from './answers/protect.js';
import { makeAddressReader } from './requests/read-address.js';
import { chooseForm, limitsOf, readJson, takeRaw, type Body, type BodyReading } from './requests/read-body.js';
import type { OpenRoute, Route } from './route.js';
import { routes } from './routes.js';
import { answerAndHangUp, isReaderGone, sendAnswer } from './answers/send-answer.js';
import { readBearer, recogniseKey, type Recognised } from '../workspace/recognise-key.js';
import type { Workspace } from '../workspace/workspace.js';
import type { CheckedRequest } from './requests/checked-request.js';

/** A request on its way, and what the log learns of it. */
interface RequestContext {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers that the answer gets, whatever it says. */
  readonly lines: HeaderLines;
  /** The route's path, never the location in it; null until it is known. */
  route: string | null;
  credential: string | null;
  /** Room that the request takes until its answer has left. */
  readonly held: Release[];
}

/**
 * The REST face, straight on Node's server. Every request goes the same way: request id, key, rate, syntax, and then
 * through its route to an operation.
 */
export class RestFace {
  /** The client's address, as the trusted proxies tell it. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly #dependencies: RestDependencies;
  readonly #options: RestOptions;
  readonly #routes: RouteFinder<Route | OpenRoute>;
  readonly #syntax: SyntaxChecker;

  constructor(dependencies: RestDependencies, options: RestOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.addressOf = makeAddressReader(options.trustProxy);
    const description = readDescription();
    const served = describeBelow(options.base ?? '', description);
    const table = [...makeOpenRoutes(options.build, formatTime(dependencies.clock.now()), served), ...routes];
    this.#routes = new RouteFinder<Route | OpenRoute>(table);
    this.#syntax = new SyntaxChecker(description, options.validateResponses);
  }

  /** Answers a request, whatever it is. Never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = makeIdentifier('req', this.#dependencies.randomness);
    const context: RequestContext = {
      id,
      request,
      response,
      lines: beginHeaders(id),
      route: null,
      credential: null,
      held: [],
    };
    response.once('close', () => {
      for (const release of context.held.splice(0)) release();
    });
    logWhenDone(this.#options.log, request, response, () => ({
      id,
      route: context.route,
      credential: context.credential,
    }));
    try {
      const answer = await this.#answer(context);
      if (isStillSending(request)) request.resume();
      await sendAnswer(response, answer, context.lines);
    } catch (error) {
      await this.#sendProblem(context, error);
    }
  }

  async #answer(context: RequestContext): Promise<Answer> {
    const { request } = context;
    if (request.headers.host === undefined && request.httpVersion === '1.1') throw missingHost();
    if (admitOrigin(request, context.lines, this.#options.corsOrigins)) {
      return { status: 204, headers: {}, body: { form: 'none' } };
    }
    const target = splitTarget(request.url ?? '');
    const found = this.#routes.find(target.path);
    context.route = found?.path ?? null;
    if (found !== undefined && isOpen(found)) return this.#answerOpenly(context, found, target);
    if (!target.path.startsWith('/v1/')) throw notFound();
    return this.#answerCaller(context, found as FoundPath<Route> | undefined, target, this.#recognise(context));
  }

  async #answerOpenly(context: RequestContext, found: FoundPath<OpenRoute>, target: Target): Promise<Answer> {
    const route = chooseRoute(found, context.request.method ?? '');
    await this.#checkSyntax(context, route.path, target, this.#parseParameters(route, target));
    return route.answerOpenly();
  }

  /** @throws Refusal UNAUTHENTICATED, RATE_LIMITED, UNAVAILABLE */
  #recognise(context: RequestContext): Recognised {
    const { request, lines } = context;
    const { later } = this.#options;
    const address = this.addressOf(request);
    const recognised = recogniseKey(
      this.#dependencies,
      later,
      readBearer(request.headers.authorization),
      'rest',
      address,
    );
    const { workspace, credential, policy } = recognised;
    context.credential = credential.id;
    const { requestsPerMinute } = credential;
    const source = { workspace: workspace.name, source: credential.id, requestsPerMinute, policy };
    const allowance = limitRate(this.#dependencies.limiter, source);
    lines.set('X-RateLimit-Limit', String(allowance.limit));
    lines.set('X-RateLimit-Remaining', String(allowance.remaining));
    if (!allowance.allowed) {
      later.countRefused(workspace, 'rest', overLimit, credential.id);
      throw rateLimited(allowance.retryAfter);
    }
    later.noteUse(workspace, credential);
    return recognised;
  }

  /** Counts the request among those that its key has under way. @throws Refusal RATE_LIMITED, UNAVAILABLE */
  #enter(context: RequestContext, { workspace, credential }: Recognised, caller: Caller): void {
    try {
      hold(context, this.#dependencies.workLimits.requests.takeNow(sourceOf(workspace.name, caller)));
    } catch (error) {
      this.#options.later.countRefused(workspace, 'rest', overLimit, credential.id);
      throw error;
    }
  }

  async #answerCaller(
    context: RequestContext,
    found: FoundPath<Route> | undefined,
    target: Target,
    recognised: Recognised,
  ): Promise<Answer> {
    const { workspace } = recognised;
    const caller = callerOf(context, recognised);
    this.#enter(context, recognised, caller);
    let route: Route | undefined;
    let location: Location | undefined;
    let answer: () => Promise<Answer>;
    try {
      if (found === undefined) throw notFound();
      route = chooseRoute(found, context.request.method ?? '');
      location = locationOf(found);
      answer = route.read(await this.#check(context, route, location ?? rootLocation, target, caller, recognised));
    } catch (error) {
      throw await refuseUnread(
        workspace,
        caller,
        route?.action ?? unknownRequest,
        location === undefined ? {} : { target: location },
        error,
      );
    }
    return this.#leadBelow(await answer());
  }

  /** Routes know of no proxy: where they lead is below the path that one puts in front. */
  #leadBelow(answer: Answer): Answer {
    const { base = '' } = this.#options;
    const to = answer.headers['Location'];
    return to === undefined || base === '' ? answer : withHeader(answer, 'Location', base + to);
  }

  async #check(
    context: RequestContext,
    route: Route,
    location: Location,
    target: Target,
    caller: Caller,
    { workspace, policy }: Recognised,
  ): Promise<CheckedRequest> {
    const { request } = context;
    requireShortHeaders(request.headers, headersRead);
    const parameters = this.#parseParameters(route, target);
    requireHeader(route, request);
    const header = (name: string): string | undefined => readHeader(request, name);
    const limits = limitsOf(policy, route.isRetried({ workspace, caller, header }));
    const { bodies, uploads } = this.#dependencies.workLimits;
    const source = sourceOf(workspace.name, caller);
    const body = await readBody(route, context, {
      limits,
      async takeRoom(bytes) {
        requireWriter(workspace, caller);
        hold(context, await bodies.take(source, bytes));
      },
      takeUpload: async () => hold(context, await uploads.take(source)),
    });
    const query = await this.#checkSyntax(context, route.path, target, parameters, body);
    return {
      method: route.method,
      route: route.path,
      workspace,
      caller,
      policy,
      location,
      query,
      sent: { ...target, parameters },
      header,
      body,
      cursors: this.#dependencies.cursors,
    };
  }

  #parseParameters({ path, method }: Route | OpenRoute, { query }: Target): Record<string, string> {
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
      const context = { id, request, response, lines: beginHeaders(id), route: path, credential: null, held: [] };
      void this.#sendProblem(context, error);
    };
    return this.#syntax.check({ request, response, path, target, parameters, body, onBadAnswer });
  }

  async #sendProblem({ id, request, response, lines }: RequestContext, error: unknown): Promise<void> {
    const refusal = error instanceof Refusal ? error : internal(error);
    if (refusal.code === 'INTERNAL' && !isReaderGone(error)) {
      this.#options.log.error({ id, err: refusal.cause ?? refusal }, 'A request failed');
    }
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    try {
      const answer = presentProblem(refusal, id);
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

/** Headers that requests of callers are read by, but for the key. */
const headersRead = ['Accept', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'If-Range', 'Range'];

/** RFC 9112 §3.2 asks for a refusal. */
function missingHost(): Refusal {
  return invalidRequest('missing_field', 'The header Host is required.', { field: 'Host' });
}

function isOpen(found: FoundPath<Route | OpenRoute>): found is FoundPath<OpenRoute> {
  return [...found.byMethod.values()].every((route) => 'answerOpenly' in route);
}

/** Looked at before the body is read, which may be long. */
function requireHeader({ requires }: Route, request: IncomingMessage): void {
  if (requires !== undefined && (readHeader(request, requires) ?? '') === '') throw missingHeader(requires);
}

/** A header that stands at most once. */
function readHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

function callerOf({ id }: RequestContext, { credential, principal }: Recognised): Caller {
  const { id: principalId, kind } = principal;
  return { principalId, kind, credentialId: credential.id, interface: 'rest', requestId: id };
}

/** Keeps room for the request until its answer has left, or its client has. */
function hold({ held, response }: RequestContext, release: Release): void {
  if (response.closed) release();
  else held.push(release);
}

/** A caller that may write nowhere makes the service read no large body. @throws Refusal NOT_FOUND */
function requireWriter(workspace: Workspace, caller: Caller): void {
  if (!workspace.view(caller).reach.holdsSomewhere('editor')) throw notFound();
}

async function readBody(
  { takes, carriesContent }: Route,
  { request, response }: RequestContext,
  reading: Pick<BodyReading, 'limits' | 'takeRoom' | 'takeUpload'>,
): Promise<Body> {
  if (takes.length === 0) return { form: 'none' };
  const form = chooseForm(request.headers, takes);
  const whole = { request, response, carriesContent, ...reading };
  return form === 'raw' ? takeRaw(whole) : readJson(whole);
}
