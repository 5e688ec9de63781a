import { createHmac, timingSafeEqual } from 'node:crypto';
import { foldSignInName } from '../access/identities.js';
import { invalidRequest, notFound } from '../domain/refusal.js';
import type { Desk, Visit } from './desk.js';
import { errorPage, goingOnPage } from './pages/tell.js';
import { readReturnPath } from './return-path.js';
import { readMemberships } from './signed-in.js';
import { goOn } from './sign-in-with-password.js';
import type { UpstreamAttempt } from './upstream.js';

const attemptCookie = 'cartulary-upstream';
/** Milliseconds that somebody may be away at the other provider. */
const longestAway = 15 * 60_000;

interface Remembered extends UpstreamAttempt {
  readonly returnTo: string | undefined;
  readonly startedAt: number;
}

const callbackPath = '/signin/upstream/callback';

/** POST /signin/upstream: off to the other provider. */
export async function goUpstream(desk: Desk, visit: Visit): Promise<void> {
  const { upstream, url: ownUrl } = desk.options;
  if (upstream === undefined) throw notFound();
  desk.requireForm(visit);
  let begun;
  try {
    begun = await upstream.begin(ownUrl + callbackPath);
  } catch (error) {
    return tell(desk, visit, error, 502, `${upstream.name} did not answer`, 'Try again in a moment.');
  }
  const returnTo = readReturnPath(desk.field(visit, 'return'), desk.base);
  const remembered: Remembered = { ...begun.attempt, returnTo, startedAt: desk.host.clock.now() };
  const text = Buffer.from(JSON.stringify(remembered)).toString('base64url');
  desk.cookies.set(visit.response, attemptCookie, `${text}.${seal(desk, text).toString('base64url')}`);
  desk.show(visit, goingOnPage({ base: desk.base, to: begun.url, title: `On to ${upstream.name}` }));
}

/** GET /signin/upstream/callback: back, with who it is. Nobody gets an identity by this who has none here. */
export async function comeBack(desk: Desk, visit: Visit): Promise<void> {
  const { upstream, url: ownUrl } = desk.options;
  if (upstream === undefined) throw notFound();
  const { people } = desk.host;
  const remembered = readAttempt(desk, visit);
  desk.cookies.clear(visit.response, attemptCookie);
  if (remembered === undefined)
    throw invalidRequest('stale_form', 'That took too long, or began elsewhere. Start again.');
  let email;
  try {
    const { url } = visit.request;
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    email = await upstream.finish(new URL(ownUrl + callbackPath + query), remembered);
  } catch (error) {
    return tell(desk, visit, error, 502, `${upstream.name} did not sign you in`, 'Start again, or use your password.');
  }
  const identity = email?.includes('@') === true ? people.identities.findByName(foldSignInName(email)) : undefined;
  const { memberships } = readMemberships(desk.host, identity?.id ?? '');
  if (identity === undefined || memberships.length === 0) {
    const message = `${upstream.name} vouches for no e-mail address that anybody signs in with here. Ask an admin to add you by it.`;
    return tell(desk, visit, undefined, 422, 'Nobody by that address', message);
  }
  await desk.signIn(visit, identity.id, memberships, 'upstream');
  goOn(desk, visit, remembered.returnTo);
}

function tell(desk: Desk, visit: Visit, cause: unknown, status: number, title: string, message: string): void {
  const { base } = desk;
  if (cause !== undefined) desk.options.log.error({ id: visit.id, err: cause }, 'The other provider did not help');
  const next = { path: `${base}/signin`, label: 'Back to signing in' };
  desk.show(visit, errorPage({ base, title, message, requestId: visit.id, next }), status);
}

function seal({ host }: Desk, text: string): Buffer {
  return createHmac('sha256', host.formKey).update(`upstream:${text}`).digest();
}

function readAttempt(desk: Desk, { request }: Visit): Remembered | undefined {
  const [text = '', proof = ''] = (desk.cookies.read(request.headers.cookie, attemptCookie) ?? '').split('.');
  const expected = seal(desk, text);
  const sent = Buffer.from(proof, 'base64url');
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
  const remembered = JSON.parse(Buffer.from(text, 'base64url').toString()) as Remembered;
  return desk.host.clock.now() - remembered.startedAt < longestAway ? remembered : undefined;
}
