import { createHmac, timingSafeEqual } from 'node:crypto';
import { readVerifiedAddress } from '../access/verified-address.js';
import { invalidRequest, notFound, Refusal, unavailable } from '../domain/refusal.js';
import type { Desk, Visit } from './sign-in-context.js';
import { errorPage, goingOnPage } from './pages/tell.js';
import { readReturnPath } from './return-path.js';
import { readMemberships } from './signed-in.js';
import { goOn } from './sign-in-with-password.js';
import type { UpstreamAttempt } from './upstream.js';

const attemptCookie = 'cartulary-upstream';
/** Where to go afterwards: apart, since an application's request fills a cookie alone. */
const wayCookie = 'cartulary-way';
/** Milliseconds that somebody may be away at the other provider. */
const maxAwayTime = 15 * 60_000;

/** Questions to the other provider that are under way at a time, each of which waits for its answer. */
const maxAsked = 32;
const asked = new WeakMap<Desk, number>();

interface Remembered extends UpstreamAttempt {
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
  const remembered: Remembered = { ...begun.attempt, startedAt: desk.host.clock.now() };
  const text = Buffer.from(JSON.stringify(remembered)).toString('base64url');
  desk.cookies.set(visit.response, attemptCookie, `${text}.${seal(desk, text).toString('base64url')}`);
  if (returnTo === undefined) desk.cookies.clear(visit.response, wayCookie);
  else desk.cookies.set(visit.response, wayCookie, returnTo.replaceAll(/[",;]/g, encodeURIComponent));
  desk.show(visit, goingOnPage({ base: desk.base, to: begun.url, title: `On to ${upstream.name}` }));
}

/** GET /signin/upstream/callback: back, with who it is. Nobody gets an identity by this who has none here. */
export async function comeBack(desk: Desk, visit: Visit): Promise<void> {
  const { upstream, url: ownUrl } = desk.options;
  if (upstream === undefined) throw notFound();
  const { people } = desk.host;
  const remembered = readAttempt(desk, visit);
  const returnTo = readReturnPath(desk.cookies.read(visit.request.headers.cookie, wayCookie), desk.base);
  for (const name of [attemptCookie, wayCookie]) desk.cookies.clear(visit.response, name);
  if (remembered === undefined)
    throw invalidRequest('stale_form', 'That took too long, or began elsewhere. Start again.');
  desk.holdToRate(visit);
  let email;
  try {
    const answer = new URL(`${ownUrl}${callbackPath}?${visit.query.toString()}`);
    email = await inTurn(desk, () => upstream.finish(answer, remembered));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return tell(desk, visit, error, 502, `${upstream.name} did not sign you in`, 'Start again, or use your password.');
  }
  const address = email === undefined ? undefined : readVerifiedAddress(email);
  if (address?.isMistakable === true) {
    const message = `The e-mail address that ${upstream.name} vouches for has characters that look like others. It is not compared with any here. Ask an admin to add you by an address without them.`;
    return tell(desk, visit, undefined, 422, 'That address cannot be used', message);
  }
  const identity = address === undefined ? undefined : people.identities.findByName(address.name);
  const { memberships } = readMemberships(desk.host, identity?.id ?? '');
  if (identity === undefined || memberships.length === 0) {
    const message = `${upstream.name} vouches for no e-mail address that anybody signs in with here. Ask an admin to add you by it.`;
    return tell(desk, visit, undefined, 422, 'Nobody by that address', message);
  }
  await desk.signIn(visit, identity.id, memberships, 'upstream');
  goOn(desk, visit, returnTo);
}

/** @throws Refusal UNAVAILABLE when too many are under way */
async function inTurn<Result>(desk: Desk, ask: () => Promise<Result>): Promise<Result> {
  const before = asked.get(desk) ?? 0;
  if (before >= maxAsked) throw unavailable(new Error('Too many people come back from the other provider at once.'));
  asked.set(desk, before + 1);
  try {
    return await ask();
  } finally {
    asked.set(desk, (asked.get(desk) ?? 1) - 1);
  }
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
  return desk.host.clock.now() - remembered.startedAt < maxAwayTime ? remembered : undefined;
}
