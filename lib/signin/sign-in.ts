import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { ReadSession } from '../domain/signed-in.js';
import { invalidRequest, notFound } from '../domain/refusal.js';
import { logWhenDone } from '../http/log-when-done.js';
import { NotedLater } from '../workspace/note-later.js';
import { choosePassword, showLink } from './choose-password.js';
import { Desk, type Visit } from './desk.js';
import type { FormProof } from './form-proof.js';
import type { SignInHost, SignInOptions } from './host.js';
import { endOwnSessions, showSessions, showSignedOut, signOut } from './own-sessions.js';
import { icon, iconPath } from './pages/icon.js';
import { pageHeaders } from './pages/page.js';
import { stylesheet, stylesheetPath } from './pages/stylesheet.js';
import { errorPage, forgottenPage } from './pages/tell.js';
import { showSignIn, signInWithPassword } from './sign-in-with-password.js';
import { comeBack, goUpstream } from './sign-in-upstream.js';

/** Where people sign in, for the port that it is mounted on, and for the other faces that ask who is signed in. */
export interface SignIn {
  takes(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  readonly readSession: ReadSession;
  /** For forms of other pages on the same address. */
  readonly proof: FormProof;
  /** Writes what was counted. */
  close(): Promise<void>;
}

type Run = (desk: Desk, visit: Visit) => void | Promise<void>;

interface PageRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly run: Run;
}

const fixed =
  (type: string, text: string): Run =>
  (_desk, { response }) => {
    for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.setHeader('Cache-Control', 'public, max-age=86400');
    response.end(text);
  };

/** Where a browser that was given the service's bare address finds something that is meant for people. */
const goToSignIn: Run = ({ base }, { response }) => response.redirect(303, `${base}/signin`);

const table: readonly PageRoute[] = [
  { method: 'get', path: '/', run: goToSignIn },
  { method: 'get', path: stylesheetPath, run: fixed('text/css', stylesheet) },
  { method: 'get', path: iconPath, run: fixed('image/svg+xml', icon) },
  { method: 'get', path: '/signin', run: showSignIn },
  { method: 'post', path: '/signin', run: signInWithPassword },
  { method: 'get', path: '/signin/link/:secret', run: showLink },
  { method: 'post', path: '/signin/link', run: choosePassword },
  { method: 'get', path: '/signin/forgotten', run: (desk, visit) => desk.show(visit, forgottenPage(desk)) },
  { method: 'get', path: '/signin/sessions', run: showSessions },
  { method: 'post', path: '/signin/sessions', run: endOwnSessions },
  { method: 'get', path: '/signin/out', run: showSignedOut },
  { method: 'post', path: '/signin/out', run: signOut },
  { method: 'post', path: '/signin/upstream', run: goUpstream },
  { method: 'get', path: '/signin/upstream/callback', run: comeBack },
];

/** The sign-in of a running service, ready to be mounted; `close` writes down what it has counted. */
export async function createSignIn(
  host: SignInHost & { names(): readonly string[] },
  options: SignInOptions,
): Promise<SignIn> {
  const later = new NotedLater({
    clock: host.clock,
    find: (name) => host.find(name),
    names: () => host.names(),
    onFault: (what, cause) => options.log.error({ err: cause }, what),
  });
  await later.start();
  const desk = new Desk(host, options, later);
  const app = makeApp(desk);
  return {
    takes: (path) => path === '/' || path === '/signin' || path.startsWith('/signin/'),
    handle: (request, response) => void app(request, response),
    readSession: desk.readSession,
    proof: desk.proof,
    close: () => later.close(),
  };
}

/** Bytes of a form: more than the longest password and the longest way back. */
const largestForm = 32 * 1024;

function makeApp(desk: Desk): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  const visits = new WeakMap<Request, Visit>();
  const visitOf = (request: Request, response: Response): Visit => {
    const visit = visits.get(request) ?? desk.begin(request, response);
    visits.set(request, visit);
    return visit;
  };
  app.use((request, response, next) => {
    const visit = visitOf(request, response);
    response.setHeader('X-Request-Id', visit.id);
    if (!desk.isSafe || !desk.isExpectedHost(request.headers.host)) misdirect(desk, visit);
    else next();
  });
  app.use(express.urlencoded({ extended: false, limit: largestForm, parameterLimit: 20 }));
  for (const { method, path, run } of table) {
    app[method](path, async (request, response) => {
      const visit = visitOf(request, response);
      logWhenDone(desk.options.log, request, response, () => ({ id: visit.id, route: path }));
      await run(desk, visit);
    });
  }
  app.use((request, response) => desk.fail(visitOf(request, response), notFound()));
  // Express knows it for one that handles errors by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    desk.fail(visitOf(request, response), isBadForm(error) ? unreadableForm() : error);
  });
  return app;
}

/** What the reader of forms throws for a form that is too large, cut off or no form. */
function isBadForm(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500;
}

const unreadableForm = () => invalidRequest('bad_form', 'That form could not be read. Open the page again.');

function misdirect(desk: Desk, visit: Visit): void {
  const message = desk.isSafe
    ? 'This is not the address that people sign in at. Ask an admin for it.'
    : 'People sign in over https only, or on the machine itself: nobody may read their passwords on the way. An admin sets public_url to an https address.';
  const page = errorPage({ base: desk.base, title: 'Not at this address', message, requestId: visit.id });
  desk.show(visit, page, 421);
}
