import type { IncomingMessage } from 'node:http';
import type { Allowance } from '../limits/token-buckets.js';
import { sourceOf } from '../limits/work-limits.js';
import type { Caller } from '../domain/caller.js';
import { rootLocation } from '../domain/location.js';
import { noSuchPath, notFound, type Refusal } from '../domain/refusal.js';
import { requireShortHeaders } from '../domain/short-header.js';
import { isPreflight, originHeaders, preflightHeaders } from '../http/cross-origin.js';
import type { Exchange } from '../http/exchange.js';
import type { HeaderLines } from '../http/header-lines.js';
import type { MountedFace } from '../http/port.js';
import { unkept } from '../http/protections.js';
import {
  refuse,
  serveCallers,
  type Admitted,
  type Asking,
  type CallerFace,
  type Performing,
} from '../http/serve-exchange.js';
import { isStillSending, isWorthReading } from '../http/unread-body.js';
import type { Workspace } from '../workspace/workspace.js';
import { answerMethods, noContent, withHeader, type Answer } from './answers/api-answer.js';
import { answerAndHangUp, sendAnswer } from './answers/send-answer.js';
import type { ApiDependencies, ApiOptions, Entry } from './api-dependencies.js';
import { presentProblem } from './answers/api-problem.js';
import { findChecker } from './requests/check-syntax.js';
import { missingHeader } from './requests/explain-invalid.js';
import { chooseRoute, locationOf, methodsOf, RouteFinder, type FoundPath } from './requests/find-route.js';
import { parseParameters, splitTarget, unknownParameter, type Target } from './requests/parse-target.js';
import { chooseForm, limitsOf, readJson, takeFile, takeRaw, type Body } from './requests/take-body.js';
import type { OpenRoute, Route } from './route.js';

const exposed =
  'ETag, Location, Retry-After, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Idempotent-Replayed, ' +
  'Accept-Ranges, Content-Disposition, Content-Range';

const preflight = preflightHeaders({
  methods: 'GET, HEAD, POST, PUT, PATCH, DELETE',
  headers: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range',
  maxAge: 600,
});

/** Where a caller's request leads. */
interface Found {
  readonly entry: Entry;
  /** The row; undefined for a path that no row has. */
  readonly path: FoundPath<Route> | undefined;
  readonly target: Target;
}

/** What was read of a request, and checked. */
interface Checked {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The parameters in their types. */
  readonly query: Record<string, unknown>;
}

/** An API, straight on Node's server: the steps of a JSON request, over the rows of a table. */
export class ApiFace implements CallerFace<Found, Asking, Answer> {
  readonly name: ApiOptions['face'];
  readonly headers: Readonly<Record<string, string>>;
  /** Answers any request. Never throws. */
  readonly handle: MountedFace['handle'];
  readonly #dependencies: ApiDependencies;
  readonly #options: ApiOptions;
  readonly #open: RouteFinder<OpenRoute>;
  readonly #routes: RouteFinder<Route>;
  readonly #syntax: ReturnType<typeof findChecker>;

  constructor(dependencies: ApiDependencies, options: ApiOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
    this.#open = new RouteFinder(options.openRoutes);
    this.#routes = new RouteFinder(options.routes);
    this.#syntax = findChecker(options.description, options.validateResponses);
    this.name = options.face;
    this.headers = { ...unkept, 'Cache-Control': options.cacheControl };
    this.handle = serveCallers(dependencies, options, this);
  }

  admit(exchange: Exchange): Admitted<Found, Answer> {
    const { request, lines } = exchange;
    if (admitOrigin(request, lines, this.#options.corsOrigins)) return { answer: noContent };
    const target = splitTarget(request.url ?? '');
    const open = this.#open.find(target.path);
    if (open !== undefined) return { answer: this.#answerOpenly(exchange, open, target) };
    const entry = this.#options.enter(target.path);
    const path = entry === undefined ? undefined : this.#routes.find(entry.path);
    if (path !== undefined) exchange.route = this.#options.logPrefix + path.path;
    if (request.method === 'OPTIONS') return { answer: answerOptions(path) };
    if (entry === undefined) throw notFound();
    return { found: { entry, path, target } };
  }

  recognise(exchange: Exchange, { entry }: Found): Asking {
    return entry.recognise(exchange);
  }

  noteAllowance({ lines }: Exchange, { limit, remaining }: Allowance): void {
    lines.set('X-RateLimit-Limit', String(limit));
    lines.set('X-RateLimit-Remaining', String(remaining));
  }

  read(exchange: Exchange, found: Found, asking: Asking): Performing<Answer> | Promise<Performing<Answer>> {
    const { path, target } = found;
    const { request } = exchange;
    if (path === undefined) throw noSuchPath();
    const usual = chooseRoute(path, request.method ?? '');
    const route = usual.variantFor?.((name) => readHeader(request, name)) ?? usual;
    exchange.action = route.action;
    exchange.location = locationOf(path);
    requireShortHeaders(request.headers, headersRead);
    const parameters = this.#parseParameters(route, target);
    requireHeader(route, request);
    const lead = (body: Body): Performing<Answer> | Promise<Performing<Answer>> => {
      const placed = { path: found.entry.path, query: target.query };
      const query = this.#checkSyntax(exchange, route.path, placed, parameters, body);
      const checked = { route, parameters, body };
      return query instanceof Promise
        ? query.then((values) => this.#lead(exchange, found, asking, { ...checked, query: values }))
        : this.#lead(exchange, found, asking, { ...checked, query });
    };
    if (route.takes.length === 0) return lead({ form: 'none' });
    return this.#readBody(exchange, route, asking).then(lead);
  }

  /** @returns a function that performs what a checked request asks for */
  #lead(
    exchange: Exchange,
    { entry, path, target }: Found,
    { workspace, caller, policy }: Asking,
    { route, parameters, body, query }: Checked,
  ): Performing<Answer> {
    const { request } = exchange;
    const perform = route.read({
      method: request.method === 'HEAD' ? 'HEAD' : route.method,
      route: route.path,
      workspace,
      caller,
      policy,
      location: exchange.location ?? rootLocation,
      pathId: path?.ids[0] ?? '',
      query,
      sent: { path: target.path, query: target.query, parameters },
      header: (name) => readHeader(request, name),
      body,
      cursors: this.#dependencies.cursors,
      standAside: () => exchange.standAside(),
      departure: () => exchange.departure(),
      charge: (requests) => exchange.charge(requests),
    });
    return () => perform().then((answer) => leadBelow(entry.prefix, answer));
  }

  present({ id }: Exchange, refusal: Refusal): Answer {
    return presentProblem(refusal, id, this.#options.challenge);
  }

  send({ request, response, lines, refusal }: Exchange, answer: Answer): void | Promise<void> {
    if (isStillSending(request)) {
      if (refusal !== undefined && !isWorthReading(request)) return answerAndHangUp(request, response, answer, lines);
      request.resume();
    }
    return sendAnswer(response, answer, lines);
  }

  async #answerOpenly(exchange: Exchange, found: FoundPath<OpenRoute>, target: Target): Promise<Answer> {
    exchange.route = found.path;
    if (exchange.request.method === 'OPTIONS') return answerOptions(found);
    const route = chooseRoute(found, exchange.request.method ?? '');
    const { path, describedAs = path, method } = route;
    if (route.takesBody === true) {
      if (target.query !== '') throw unknownParameter(target.query.slice(0, 40), []);
      return route.answerOpenly(exchange, found.ids);
    }
    const described = { ...target, path: describedAs };
    const parameters = this.#parseParameters({ path: describedAs, method }, target);
    await this.#checkSyntax(exchange, describedAs, described, parameters);
    return route.answerOpenly(exchange, found.ids);
  }

  /** Reads the body in one of the route's forms, or prepares it for reading. @throws Refusal */
  async #readBody(exchange: Exchange, route: Route, { workspace, caller, policy }: Asking): Promise<Body> {
    const { request, response } = exchange;
    const { takes, carriesContent } = route;
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
        exchange.hold(await bodies.take(source, bytes));
      },
      takeUpload: async () => exchange.hold(await uploads.take(source)),
    };
    const read = { json: readJson, raw: takeRaw, file: takeFile };
    return read[chooseForm(request.headers, takes)](reading);
  }

  #parseParameters({ path, method }: Pick<Route, 'path' | 'method'>, { query }: Target): Record<string, string> {
    return parseParameters(query, () => this.#syntax.nameParameters(path, method));
  }

  /** @returns the query's parameters converted to their types, with defaults */
  #checkSyntax(
    exchange: Exchange,
    path: string,
    target: Target,
    parameters: Readonly<Record<string, string>>,
    body: Body = { form: 'none' },
  ): Record<string, unknown> | Promise<Record<string, unknown>> {
    const { request, response } = exchange;
    const onBadAnswer = (error: unknown): void => void refuse(exchange, this.#options, this, error);
    return this.#syntax.check({ request, response, path, target, parameters, body, onBadAnswer });
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

/** A caller without any right to write cannot make the service read a large body. @throws Refusal NOT_FOUND */
function requireWriter(workspace: Workspace, caller: Caller): void {
  if (!workspace.view(caller).reach.holdsSomewhere('editor')) throw notFound();
}

/**
 * Lets pages of the configured origins read the answer (Fetch standard, CORS protocol); none by default.
 * @param lines of the answer, for the headers of the protocol
 * @returns whether it was a preflight request of such a page; it is answered without a key
 */
function admitOrigin(request: IncomingMessage, lines: HeaderLines, origins: readonly string[]): boolean {
  if (origins.length === 0) return false;
  lines.vary('Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  lines.setAll(originHeaders(origin, exposed));
  if (!isPreflight(request)) return false;
  lines.setAll(preflight);
  return true;
}
