import type { EndSession } from '../domain/signed-in.js';
import { endConsent } from '../operations/principals/change-consent.js';
import { performOwn } from '../operations/perform-own.js';
import { endSession } from '../operations/principals/change-session.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';
import type { SignInContext, RequestContext } from './sign-in-context.js';
import { sessionsPage } from './pages/sessions.js';
import { signedOutPage } from './pages/message-pages.js';
import { endByOthers, endNamed, listByOthers, listMade } from './keys-of-person.js';
import { endTrace, listTraces } from './own-traces.js';
import { actorOf, actorsOf } from './record.js';
import { findSession, readMemberships, sessionCookie } from './read-session.js';

/**
 * GET /signin/sessions: the person's sessions, and the applications and keys of others acting as them. After a new
 * password, `since` asks for what was made under the one before, and goes on.
 */
export function showSessions(context: SignInContext, exchange: RequestContext): void {
  const signedIn = context.signedIn(exchange);
  if (signedIn === undefined)
    return context.goTo(exchange, `${context.base}/signin?return=${context.base}/signin/sessions`);
  const sessions = context.host.people.sessions.listOf(signedIn.identityId).map((session) => ({
    ...session,
    isCurrent: session.id === signedIn.sessionId,
  }));
  const consents = context.host.people.consents.listOf(signedIn.identityId);
  const seats = readMemberships(context.host, signedIn.identityId, signedIn.vouchedFor);
  const given = listByOthers(context.host, seats);
  const since = /^\d{1,15}$/.exec(exchange.query.get('since') ?? '')?.[0];
  const made = since === undefined ? undefined : listMade(context.host, seats, Number(since));
  const traces = since === undefined ? undefined : listTraces(context.host, seats, Number(since));
  const csrf = context.proof.issue(exchange.request, exchange.response, signedIn.sessionId);
  context.show(exchange, sessionsPage({ base: context.base, csrf, sessions, consents, given, made, traces, since }));
}

/** POST /signin/sessions: ends one session, or all with the keys that others made, an application's consent, or a key. */
export async function endOwnSessions(context: SignInContext, exchange: RequestContext): Promise<void> {
  const own = requireOwn(context, exchange);
  if (own === undefined) return context.goTo(exchange, `${context.base}/signin`);
  const { people, journal } = context.host;
  const consentId = context.field(exchange, 'consent');
  const consent = people.consents.listOf(own.identityId).find(({ id }) => id === consentId);
  if (consent !== undefined) await performOwn(journal, [actorOf(consent, exchange.id)], endConsent, consent);
  const sessionId = context.field(exchange, 'session') ?? '';
  const key = context.field(exchange, 'key');
  const seats = readMemberships(context.host, own.identityId, own.vouchedFor);
  if (key !== undefined) await endNamed(context.host, seats, key, exchange.id);
  const trace = context.field(exchange, 'trace');
  if (trace !== undefined) await endTrace(context.host, seats, trace, exchange.id);
  if (sessionId === 'all') await endByOthers(context.host, seats, exchange.id);
  await end(context, exchange, own, sessionId);
  const isOut = sessionId === 'all' || sessionId === own.id;
  const since = /^\d{1,15}$/.exec(context.field(exchange, 'since') ?? '')?.[0];
  const back = since === undefined ? 'sessions' : `sessions?since=${since}`;
  context.goTo(exchange, `${context.base}/signin/${isOut ? 'out' : back}`);
}

/** POST /signin/out. */
export async function signOut(context: SignInContext, exchange: RequestContext): Promise<void> {
  const own = requireOwn(context, exchange);
  if (own !== undefined) await end(context, exchange, own, own.id);
  context.goTo(exchange, `${context.base}/signin/out`);
}

/** Makes the function by which another page's request ends its own session. */
export function makeEndSession({ host, cookies }: SignInContext): EndSession {
  return async ({ identityId, sessionId, vouchedFor }, requestId) => {
    const actors = actorsOf(readMemberships(host, identityId, vouchedFor), requestId);
    await performOwn(host.journal, actors, endSession, { identityId, sessionId });
    return cookies.cleared(sessionCookie);
  };
}

/** GET /signin/out: says so. */
export function showSignedOut(context: SignInContext, exchange: RequestContext): void {
  if (context.signedIn(exchange) === undefined) context.show(exchange, signedOutPage({ base: context.base }));
  else context.goTo(exchange, `${context.base}/signin`);
}

/**
 * The session of the request, even while its person's workspaces cannot be read: people must always be able to end
 * their sessions.
 * @returns undefined where there is none in force; the cookie of an ended one is cleared
 * @throws Refusal RATE_LIMITED, or INVALID_REQUEST `stale_form`
 */
function requireOwn(context: SignInContext, exchange: RequestContext): StoredSession | undefined {
  const { cookie } = exchange.request.headers;
  const own = findSession(context.host, context.cookies, cookie);
  if (own !== undefined) context.requireForm(exchange, own.id);
  // Only a sent cookie: a form on another site's page brings none, and must not sign the person out.
  else if (context.cookies.read(cookie, sessionCookie) !== undefined)
    context.cookies.clear(exchange.response, sessionCookie);
  return own;
}

/** Sessions of others, and ended ones, are ignored in silence. */
async function end(
  context: SignInContext,
  exchange: RequestContext,
  own: StoredSession,
  sessionId: string,
): Promise<void> {
  const { identityId, vouchedFor } = own;
  const actors = actorsOf(readMemberships(context.host, identityId, vouchedFor), exchange.id);
  if (sessionId === 'all' || sessionId === own.id) context.cookies.clear(exchange.response, sessionCookie);
  await performOwn(context.host.journal, actors, endSession, { identityId, sessionId });
}
