import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndSession, ReadSession } from '../domain/signed-in.js';
import { invalidRequest, notFound } from '../domain/refusal.js';
import { logWhenDone } from '../http/log-when-done.js';
import { ExcessiveBody, isForm, parseForm, readBody } from '../http/read-body.js';
import { findExcess, findWrongMethod, queryOf, type Excess, type RequestBounds } from '../http/request-bounds.js';
import { leaveUnread } from '../http/unread-body.js';
import { DeferredAudit } from '../journal/deferred-audit.js';
import { choosePassword, showLink } from './choose-password.js';
import { keepOwnCookies } from './cookies.js';
import { SignInContext, type Arrival, type RequestContext } from './sign-in-context.js';
import type { FormProof } from './form-proof.js';
import type { SignInDependencies, SignInOptions } from './dependencies.js';
import { endOwnSessions, makeEndSession, showSessions, showSignedOut, signOut } from './own-sessions.js';
import { icon, iconPath } from './pages/icon.js';
import { pageHeaders } from './pages/page.js';
import { stylesheet, stylesheetPath } from './pages/stylesheet.js';
import { errorPage, forgottenPage } from './pages/message-pages.js';
import { maxReturnPathLength } from './return-path.js';
import { proveAgain, showProveAgain } from './prove-again.js';
import { consolePath, showSignIn, signInWithPassword } from './sign-in-with-password.js';
import { comeBack, goUpstream, goUpstreamAgain } from './sign-in-upstream.js';

/** The sign-in for people, for its port and for the other faces that need the signed-in person. */
export interface SignIn {
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  readonly readSession: ReadSession;
  /** For signing out on other pages of the same address. */
  readonly endSession: EndSession;
  /** For forms of other pages on the same address. */
  readonly proof: FormProof;
  /** Writes the counts. */
  close(): Promise<void>;
}

type Run = (context: SignInContext, exchange: RequestContext) => void | Promise<void>;

/** A route of a page. */
interface PageRoute extends RequestBounds {
  readonly method: 'GET' | 'POST';
  /** In the log, too; `:secret` replaces the secret there. */
  readonly path: string;
  readonly run: Run;
}

const fixed =
  (type: string, text: string): Run =>
  (_context, { response }) => {
    for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.setHeader('Cache-Control', 'public, max-age=86400');
    response.end(text);
  };

/** Leads a browser at the service's bare address to a page for people. */
const goIn: Run = (context, exchange) =>
  context.goTo(exchange, `${context.base}${context.signedIn(exchange) === undefined ? '/signin' : consolePath}`);

/** A page for reading. Percent-encoded, the way back takes three times its length. */
const shown = { method: 'GET', maxQueryLength: 3 * maxReturnPathLength + 100, maxPairs: 20, maxBodyBytes: 0 } as const;
/** A form: the longest password and the longest way back, percent-encoded. */
const sent = { method: 'POST', maxQueryLength: 100, maxPairs: 20, maxBodyBytes: 32 * 1024 } as const;
/** Another provider's parameters: codes can be long. */
const returned = { method: 'GET', maxQueryLength: 8 * 1024, maxPairs: 32, maxBodyBytes: 0 } as const;

export const signInRoutes: readonly PageRoute[] = [
  { ...shown, path: '/', run: goIn },
  { ...shown, path: stylesheetPath, run: fixed('text/css', stylesheet) },
  { ...shown, path: iconPath, run: fixed('image/svg+xml', icon) },
  { ...shown, path: '/signin', run: showSignIn },
  { ...sent, path: '/signin', run: signInWithPassword },
  { ...shown, path: '/signin/again', run: showProveAgain },
  { ...sent, path: '/signin/again', run: proveAgain },
  { ...sent, path: '/signin/again/upstream', run: goUpstreamAgain },
  { ...shown, path: '/signin/link/:secret', run: showLink },
  { ...sent, path: '/signin/link', run: choosePassword },
  { ...shown, path: '/signin/forgotten', run: (context, exchange) => context.show(exchange, forgottenPage(context)) },
  { ...shown, path: '/signin/sessions', run: showSessions },
  { ...sent, path: '/signin/sessions', run: endOwnSessions },
  { ...shown, path: '/signin/out', run: showSignedOut },
  { ...sent, path: '/signin/out', run: signOut },
  { ...sent, path: '/signin/upstream', run: goUpstream },
  { ...returned, path: '/signin/upstream/callback', run: comeBack },
];

/** The sign-in of a running service, ready to be mounted; `close` writes its counts. */
export async function createSignIn(
  host: SignInDependencies & { names(): readonly string[] },
  options: SignInOptions,
): Promise<SignIn> {
  const later = new DeferredAudit({
    clock: host.clock,
    find: (name) => host.find(name),
    names: () => host.names(),
    onFault: (what, cause) => options.log.error({ err: cause }, what),
  });
  await later.start();
  const context = new SignInContext(host, options, later);
  return {
    takes: (path) => path === '/' || path === '/signin' || path.startsWith('/signin/'),
    handle: (request, response) => void serve(context, request, response),
    readSession: context.readSession,
    endSession: makeEndSession(context),
    proof: context.proof,
    close: () => later.close(),
  };
}

/** Answers any request. Never throws. */
async function serve(context: SignInContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrival = context.begin(request, response);
  const found = findRoutes(request.url ?? '');
  const route = found.routes[0]?.path ?? null;
  response.setHeader('X-Request-Id', arrival.id);
  logWhenDone(context.options, 'signin', request, response, () => ({
    id: arrival.id,
    route,
    refusal: arrival.refusal,
  }));
  try {
    const [run, exchange] = (await admit(context, arrival, found)) ?? [];
    if (run !== undefined && exchange !== undefined) await run(context, exchange);
  } catch (error) {
    if (error instanceof ExcessiveBody) return refuse(context, arrival, error.excess);
    leaveUnread(request, response);
    context.fail(arrival, error);
  }
}

interface Found {
  /** Of this path, one for each method; empty for an unknown path. */
  readonly routes: readonly PageRoute[];
  readonly secret: string;
}

/** Longer than all our secrets. */
const secretPath = /^(\/signin\/link\/)([^/?]{1,200})$/;

function findRoutes(url: string): Found {
  const [path = ''] = url.split('?', 1);
  const [, start, secret = ''] = secretPath.exec(path) ?? [];
  const template = start === undefined ? path : `${start}:secret`;
  return { routes: signInRoutes.filter((each) => each.path === template), secret };
}

/**
 * Holds a request to the bounds of its route, and reads it only then.
 * @returns the function that answers it; undefined when it has been refused
 * @throws ExcessiveBody; Refusal NOT_FOUND, INVALID_REQUEST `bad_form`
 */
async function admit(
  context: SignInContext,
  arrival: Arrival,
  { routes, secret }: Found,
): Promise<[Run, RequestContext] | undefined> {
  const { request } = arrival;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = routes.find((each) => each.method === method);
  const excess = findExcess(request, route ?? sent);
  if (excess !== undefined) return refuse(context, arrival, excess);
  if (!context.isSafe || !context.isExpectedHost(request.headers.host)) return misdirect(context, arrival);
  if (routes.length === 0) throw notFound();
  const wrong = findWrongMethod(
    request,
    routes.map((each) => each.method),
  );
  if (route === undefined || wrong !== undefined) return wrong && refuse(context, arrival, wrong);
  const cookie = keepOwnCookies(request.headers.cookie);
  delete request.headers.cookie;
  if (cookie !== undefined) request.headers.cookie = cookie;
  const query = new URLSearchParams(queryOf(request.url ?? ''));
  return [route.run, { ...arrival, query, form: await readForm(arrival, route), secret }];
}

async function readForm({ request, response }: Arrival, route: PageRoute): Promise<URLSearchParams> {
  if (route.maxBodyBytes === 0) return new URLSearchParams();
  const body = await readBody(request, response, route);
  if (body.length === 0 || isForm(request)) return parseForm(body, route);
  throw invalidRequest('bad_form', 'That form could not be read. Open the page again.');
}

function refuse(context: SignInContext, arrival: Arrival, { status, message, allow }: Excess): undefined {
  const { request, response, id } = arrival;
  leaveUnread(request, response);
  if (response.headersSent) return void response.destroy();
  if (allow !== undefined) response.setHeader('Allow', allow);
  context.show(
    arrival,
    errorPage({ base: context.base, title: 'That cannot be answered', message, requestId: id }),
    status,
  );
}

function misdirect(context: SignInContext, arrival: Arrival): undefined {
  const { request, response, id } = arrival;
  leaveUnread(request, response);
  context.noteMisdirected(request.headers.host);
  const message = context.isSafe
    ? 'This is not the address that people sign in at. Ask an admin for it.'
    : 'People sign in over https only, or on the machine itself: nobody may read their passwords on the way. An admin sets public_url to an https address.';
  const page = errorPage({ base: context.base, title: 'Not at this address', message, requestId: id });
  context.show(arrival, page, 421);
}
