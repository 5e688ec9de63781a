import type { SignedIn } from '../domain/signed-in.js';
import { endConsent } from '../operations/change-consent.js';
import { endSession } from '../operations/sign-in.js';
import type { Desk, Visit } from './desk.js';
import { sessionsPage } from './pages/sessions.js';
import { signedOutPage } from './pages/tell.js';
import { recordOwn } from './record.js';
import { sessionCookie } from './signed-in.js';

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
export async function endSessions(desk: Desk, visit: Visit): Promise<void> {
  const signedIn = desk.signedIn(visit);
  if (signedIn === undefined) return desk.goTo(visit, `${desk.base}/signin`);
  desk.requireForm(visit, signedIn.sessionId);
  const consent = desk.host.people.consents.end(signedIn.identityId, desk.field(visit, 'consent') ?? '');
  if (consent !== undefined) await recordOwn(desk.host, [consent], visit.id, endConsent, consent);
  const sessionId = desk.field(visit, 'session') ?? '';
  await end(desk, visit, signedIn, sessionId);
  const isOut = sessionId === 'all' || sessionId === signedIn.sessionId;
  desk.goTo(visit, `${desk.base}/signin/${isOut ? 'out' : 'sessions'}`);
}

/** POST /signin/out. */
export async function signOut(desk: Desk, visit: Visit): Promise<void> {
  const signedIn = desk.signedIn(visit);
  if (signedIn !== undefined) {
    desk.requireForm(visit, signedIn.sessionId);
    await end(desk, visit, signedIn, signedIn.sessionId);
  }
  desk.goTo(visit, `${desk.base}/signin/out`);
}

/** GET /signin/out: says so. */
export function showSignedOut(desk: Desk, visit: Visit): void {
  if (desk.signedIn(visit) === undefined) desk.show(visit, signedOutPage({ base: desk.base }));
  else desk.goTo(visit, `${desk.base}/signin`);
}

/** What is not theirs, or is over, is passed over in silence. */
async function end(desk: Desk, visit: Visit, signedIn: SignedIn, sessionId: string): Promise<void> {
  const { sessions } = desk.host.people;
  const { identityId, memberships } = signedIn;
  const ended = sessionId === 'all' ? sessions.endAll(identityId) > 0 : sessions.end(identityId, sessionId);
  if (sessionId === 'all' || sessionId === signedIn.sessionId) desk.cookies.clear(visit.response, sessionCookie);
  if (ended) await recordOwn(desk.host, memberships, visit.id, endSession, { sessionId });
}
