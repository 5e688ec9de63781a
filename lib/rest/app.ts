import express, { type Express, type Request, type Response } from 'express';
import type { Caller } from '../domain/caller.js';
import { formatTime } from '../domain/clock.js';
import { makeIdentifier } from '../domain/identifier.js';
import { rootLocation } from '../domain/location.js';
import { internal, invalidRequest, notFound, rateLimited, Refusal } from '../domain/refusal.js';
import { overLimit } from '../audit/record-tallies.js';
import { limitRate } from '../access/limit-rate.js';
import type { Answer } from './answer.js';
import { authenticateRequest, type Recognised } from './authenticate-request.js';
import { SyntaxChecker } from './check-syntax.js';
import { readDescription } from './description.js';
import { missingHeader } from './explain-invalid.js';
import { chooseRow, locationOf, RouteFinder, type FoundPath } from './find-route.js';
import type { RestHost, RestOptions } from './host.js';
import { makeOpenRoutes } from './open-routes.js';
import { parseQuery, splitTarget, type Target } from './parse-target.js';
import { presentProblem } from './problem.js';
import { admitOrigin, protect } from './protect.js';
import { chooseForm, limitsOf, nameForm, readJson, takeRaw, type Body, type BodyLimits } from './read-body.js';
import { answerAndHangUp, isStillSending, isWorthReading } from './refuse-upload.js';
import type { OpenRoute, Route } from './route.js';
import { routes } from './routes.js';
import { isReaderGone, replaceJson, sendAnswer } from './send-answer.js';

/** What the log learns of a request on its way. */
interface Visit {
  readonly id: string;
  readonly request: Request;
  readonly response: Response;
  /** The row's path, never the location in it; null until it is known. */
  route: string | null;
  credential: string | null;
}

/**
 * The REST face as an Express application. Every request goes the same way: request id, key, rate, syntax, and then
 * through its row to an operation.
 */
export function createRestApp(host: RestHost, options: RestOptions): Express {
  const face = new RestFace(host, options);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.set('trust proxy', options.trustProxy === 0 ? false : options.trustProxy);
  replaceJson(app);
  app.use((request, response) => void face.serve(request, response));
  return app;
}

class RestFace {
  readonly #host: RestHost;
  readonly #options: RestOptions;
  readonly #routes: RouteFinder<Route | OpenRoute>;
  readonly #syntax: SyntaxChecker;

  constructor(host: RestHost, options: RestOptions) {
    this.#host = host;
    this.#options = options;
    const description = readDescription();
    const table = [...makeOpenRoutes(options.build, formatTime(host.clock.now()), description.text), ...routes];
    this.#routes = new RouteFinder<Route | OpenRoute>(table);
    this.#syntax = new SyntaxChecker(description, options.validateResponses);
  }

  async serve(request: Request, response: Response): Promise<void> {
    const id = makeIdentifier('req', this.#host.randomness);
    const visit: Visit = { id, request, response, route: null, credential: null };
    this.#logWhenDone(visit);
    response.setHeader('X-Request-Id', id);
    protect(response);
    try {
      const answer = await this.#answer(visit);
      if (isStillSending(request)) request.resume();
      await sendAnswer(response, answer);
    } catch (error) {
      await this.#sendProblem(visit, error);
    }
  }

  async #answer(visit: Visit): Promise<Answer> {
    const { request, response } = visit;
    if (request.headers.host === undefined && request.httpVersion === '1.1') throw missingHost();
    if (admitOrigin(request, response, this.#options.corsOrigins)) {
      return { status: 204, headers: {}, body: { form: 'none' } };
    }
    const target = splitTarget(request.url);
    // The validator reads the target for itself, and knows only its usual form.
    request.originalUrl = target.query === '' ? target.path : `${target.path}?${target.query}`;
    const found = this.#routes.find(target.path);
    visit.route = found?.path ?? null;
    if (found !== undefined && isOpen(found)) return this.#answerOpenly(visit, found, target);
    if (!target.path.startsWith('/v1/')) throw notFound();
    const recognised = this.#recognise(visit);
    if (found === undefined) throw notFound();
    return this.#answerCaller(visit, found as FoundPath<Route>, target, recognised);
  }

  async #answerOpenly(visit: Visit, found: FoundPath<OpenRoute>, target: Target): Promise<Answer> {
    const route = chooseRow(found, visit.request.method);
    await this.#checkSyntax(visit, route.path, parseQuery(target.query));
    return route.answerOpenly();
  }

  /** @throws Refusal UNAUTHENTICATED, RATE_LIMITED, UNAVAILABLE */
  #recognise(visit: Visit): Recognised {
    const { request, response } = visit;
    const { later } = this.#options;
    const address = request.ip ?? '';
    const recognised = authenticateRequest(this.#host, later, request.headers.authorization, address);
    const { workspace, credential, policy } = recognised;
    visit.credential = credential.id;
    const { requestsPerMinute } = credential;
    const source = { workspace: workspace.name, source: credential.id, requestsPerMinute, policy };
    const allowance = limitRate(this.#host.limiter, source);
    response.setHeader('X-RateLimit-Limit', allowance.limit);
    response.setHeader('X-RateLimit-Remaining', allowance.remaining);
    if (!allowance.allowed) {
      later.countRefused(workspace, 'rest', overLimit, credential.id);
      throw rateLimited(allowance.retryAfter);
    }
    later.noteUse(workspace, credential);
    return recognised;
  }

  async #answerCaller(
    visit: Visit,
    found: FoundPath<Route>,
    target: Target,
    { workspace, credential, principal, policy }: Recognised,
  ): Promise<Answer> {
    const { request, id } = visit;
    const route = chooseRow(found, request.method);
    const location = locationOf(found) ?? rootLocation;
    const parameters = parseQuery(target.query);
    requireHeader(route, request);
    const caller: Caller = {
      principalId: principal.id,
      kind: principal.kind,
      credentialId: credential.id,
      interface: 'rest',
      requestId: id,
    };
    const header = (name: string): string | undefined => request.get(name);
    const limits = limitsOf(policy, route.isRetried({ workspace, caller, header }));
    const body = await readBody(route, visit, limits);
    const query = await this.#checkSyntax(visit, route.path, parameters, body);
    return route.answer({
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
      cursors: this.#host.cursors,
    });
  }

  /** @returns the query's parameters converted to their types, with defaults */
  async #checkSyntax(
    { request, response, id }: Visit,
    path: string,
    parameters: Readonly<Record<string, string>>,
    body: Body = { form: 'none' },
  ): Promise<Record<string, unknown>> {
    const query: Record<string, unknown> = { ...parameters };
    Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
    if (body.form === 'none') delete request.headers['content-type'];
    else request.headers['content-type'] = nameForm(body.form);
    if (body.form === 'json') request.body = body.value;
    await this.#syntax.check(path, request, response, (error) => {
      void this.#sendProblem({ id, request, response, route: path, credential: null }, error);
    });
    return query;
  }

  async #sendProblem({ id, request, response }: Visit, error: unknown): Promise<void> {
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
          await answerAndHangUp(request, response, answer);
          return;
        }
        request.resume();
      }
      await sendAnswer(response, answer);
    } catch (fault) {
      this.#options.log.error({ id, err: fault }, 'A refusal could not be sent');
      response.destroy();
    }
  }

  #logWhenDone(visit: Visit): void {
    const started = performance.now();
    visit.response.once('close', () => {
      const { id, request, response, route, credential } = visit;
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const status = response.writableFinished ? response.statusCode : null;
      this.#options.log.info({ id, method: request.method, route, status, ms, credential }, 'request');
    });
  }
}

/** RFC 9112 §3.2 asks for a refusal. */
function missingHost(): Refusal {
  return invalidRequest('missing_field', 'The header Host is required.', { field: 'Host' });
}

function isOpen(found: FoundPath<Route | OpenRoute>): found is FoundPath<OpenRoute> {
  return [...found.rows.values()].every((route) => 'answerOpenly' in route);
}

/** Looked at before the body is read, which may be long. */
function requireHeader({ requires }: Route, request: Request): void {
  if (requires !== undefined && (request.get(requires) ?? '') === '') throw missingHeader(requires);
}

async function readBody(route: Route, { request, response }: Visit, limits: BodyLimits): Promise<Body> {
  if (route.takes.length === 0) return { form: 'none' };
  const form = chooseForm(request.headers, route.takes);
  // A client that asked first (RFC 9110 §10.1.1) is told to go on only when its body is really wanted.
  const isAsking = request.headers.expect?.toLowerCase() === '100-continue';
  const invite = (): void => (isAsking ? response.writeContinue() : undefined);
  return form === 'raw' ? takeRaw(request, limits, invite) : readJson(request, limits, invite);
}
