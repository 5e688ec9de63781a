import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndSession, ReadSession } from '../domain/signed-in.js';
import { invalidRequest, notFound, type Refusal } from '../domain/refusal.js';
import type { Exchange } from '../http/exchange.js';
import { isForm, parseForm, readBody } from '../http/read-body.js';
import { queryOf, requireBounds, requireMethod, type RequestBounds } from '../http/request-bounds.js';
import { serveOpenly, type OpenFace } from '../http/serve-exchange.js';
import { leaveUnread } from '../http/unread-body.js';
import { DeferredAudit } from '../journal/deferred-audit.js';
import { choosePassword, showLink } from './choose-password.js';
import { keepOwnCookies } from './cookies.js';
import { Misdirected, SignInContext, type RequestContext } from './sign-in-context.js';
import type { FormProof } from './form-proof.js';
import type { SignInDependencies, SignInOptions } from './sign-in-dependencies.js';
import { endOwnSessions, makeEndSession, showSessions, showSignedOut, signOut } from './own-sessions.js';
import { icon, iconPath } from './pages/icon.js';
import { pageHeaders } from './pages/render-page.js';
import { stylesheet, stylesheetPath } from './pages/stylesheet.js';
import { forgottenPage } from './pages/message-pages.js';
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
    handle: serveOpenly(host, options, new SignInPages(context)),
    readSession: context.readSession,
    endSession: makeEndSession(context),
    proof: context.proof,
    close: () => later.close(),
  };
}

/** The pages write their answers themselves, with the cookies that belong to them. */
class SignInPages implements OpenFace<void> {
  readonly name = 'signin';
  readonly headers = {};
  readonly #context: SignInContext;

  constructor(context: SignInContext) {
    this.#context = context;
  }

  async answer(exchange: Exchange): Promise<void> {
    exchange.lines.putOn(exchange.response);
    const found = findRoutes(exchange.request.url ?? '');
    exchange.route = found.routes[0]?.path ?? null;
    const route = findRoute(this.#context, exchange, found);
    await route.run(this.#context, await readRequest(exchange, route, found.secret));
  }

  present(exchange: Exchange, refusal: Refusal): void {
    const { request, response } = exchange;
    exchange.lines.putOn(response);
    leaveUnread(request, response);
    this.#context.fail(exchange, refusal);
  }

  send(): void {}
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
 * Holds a request to the bounds of its route.
 * @throws BeyondBounds, Misdirected; Refusal NOT_FOUND
 */
function findRoute(context: SignInContext, { request }: Exchange, { routes }: Found): PageRoute {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = routes.find((each) => each.method === method);
  requireBounds(request, route ?? sent);
  if (!context.isSafe || !context.isExpectedHost(request.headers.host)) throw new Misdirected(context.isSafe);
  if (routes.length === 0) throw notFound();
  requireMethod(
    request,
    routes.map((each) => each.method),
  );
  if (route === undefined) throw notFound();
  return route;
}

/** @throws BeyondBounds; Refusal INVALID_REQUEST `bad_form` */
async function readRequest(exchange: Exchange, route: PageRoute, secret: string): Promise<RequestContext> {
  const { id, request, response } = exchange;
  const cookie = keepOwnCookies(request.headers.cookie);
  delete request.headers.cookie;
  if (cookie !== undefined) request.headers.cookie = cookie;
  const query = new URLSearchParams(queryOf(request.url ?? ''));
  return { id, request, response, query, form: await readForm(exchange, route), secret };
}

async function readForm({ request, response }: Exchange, route: PageRoute): Promise<URLSearchParams> {
  if (route.maxBodyBytes === 0) return new URLSearchParams();
  const body = await readBody(request, response, route);
  if (body.length === 0 || isForm(request)) return parseForm(body, route);
  throw invalidRequest('bad_form', 'That form could not be read. Open the page again.');
}
