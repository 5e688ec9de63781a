import { endConsent } from '../operations/principals/change-consent.js';
import { endSession } from '../operations/principals/sign-in.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';
import type { Desk, Visit } from './sign-in-context.js';
import { sessionsPage } from './pages/sessions.js';
import { signedOutPage } from './pages/tell.js';
import { recordOwn } from './record.js';
import { findSession, readMemberships, sessionCookie } from './signed-in.js';

/** GET /signin/sessions: where the person is signed in, and which applications act as them. */
export function showSessions(desk: Desk, visit: Visit): void {
  const signedIn = desk.signedIn(visit);
  if (signedIn === undefined) return desk.goTo(visit, `${desk.base}/signin?return=${desk.base}/signin/sessions`);
  const sessions = desk.host.people.sessions.listOf(signedIn.identityId).map((session) => ({
    ...session,
    isCurrent: session.id === signedIn.sessionId,
  }));
  const consents = desk.host.people.consents.listOf(signedIn.identityId);
  const csrf = desk.proof.issue(visit.request, visit.response, signedIn.sessionId);
  desk.show(visit, sessionsPage({ base: desk.base, csrf, sessions, consents }));
}

/** POST /signin/sessions: ends one session, or all, or what an application was allowed. */
export async function endOwnSessions(desk: Desk, visit: Visit): Promise<void> {
  const own = requireOwn(desk, visit);
  if (own === undefined) return desk.goTo(visit, `${desk.base}/signin`);
  const consent = desk.host.people.consents.end(own.identityId, desk.field(visit, 'consent') ?? '');
  if (consent !== undefined) await recordOwn(desk.host, [consent], visit.id, endConsent, consent);
  const sessionId = desk.field(visit, 'session') ?? '';
  await end(desk, visit, own, sessionId);
  const isOut = sessionId === 'all' || sessionId === own.id;
  desk.goTo(visit, `${desk.base}/signin/${isOut ? 'out' : 'sessions'}`);
}

/** POST /signin/out. */
export async function signOut(desk: Desk, visit: Visit): Promise<void> {
  const own = requireOwn(desk, visit);
  if (own !== undefined) await end(desk, visit, own, own.id);
  desk.goTo(visit, `${desk.base}/signin/out`);
}

/** GET /signin/out: says so. */
export function showSignedOut(desk: Desk, visit: Visit): void {
  if (desk.signedIn(visit) === undefined) desk.show(visit, signedOutPage({ base: desk.base }));
  else desk.goTo(visit, `${desk.base}/signin`);
}

/**
 * The session of the one who asks, also where their workspaces cannot be read just now: what they end must have ended.
 * @returns undefined where there is none in force; a cookie of one that is over goes
 * @throws Refusal RATE_LIMITED, or INVALID_REQUEST `stale_form`
 */
function requireOwn(desk: Desk, visit: Visit): StoredSession | undefined {
  const { cookie } = visit.request.headers;
  const own = findSession(desk.host, desk.cookies, cookie);
  if (own !== undefined) desk.requireForm(visit, own.id);
  // Only one that was sent: a form on another site's page brings none, and must not sign anybody out.
  else if (desk.cookies.read(cookie, sessionCookie) !== undefined) desk.cookies.clear(visit.response, sessionCookie);
  return own;
}

/** What is not theirs, or is over, is passed over in silence. */
async function end(desk: Desk, visit: Visit, own: StoredSession, sessionId: string): Promise<void> {
  const { sessions } = desk.host.people;
  const { identityId } = own;
  const ended = sessionId === 'all' ? sessions.endAll(identityId) > 0 : sessions.end(identityId, sessionId);
  if (sessionId === 'all' || sessionId === own.id) desk.cookies.clear(visit.response, sessionCookie);
  const { memberships } = readMemberships(desk.host, identityId);
  if (ended) await recordOwn(desk.host, memberships, visit.id, endSession, { sessionId });
}
