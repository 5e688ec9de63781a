import { createHmac, timingSafeEqual } from 'node:crypto';
import { readVerifiedAddress } from '../access/verified-address.js';
import { invalidRequest, notFound, Refusal, unavailable } from '../domain/refusal.js';
import type { SignInContext, RequestContext } from './sign-in-context.js';
import { errorPage, goingOnPage } from './pages/message-pages.js';
import { readReturnPath } from './return-path.js';
import { readMemberships } from './read-session.js';
import { goOn } from './sign-in-with-password.js';
import type { UpstreamAttempt } from './upstream.js';

const attemptCookie = 'cartulary-upstream';
/** Where to go afterwards: apart, since an application's request fills a cookie alone. */
const wayCookie = 'cartulary-way';
/** Milliseconds of a person's longest absence at the other provider. */
const maxAwayTime = 15 * 60_000;

/** Questions to the other provider under way at a time, each waiting for its answer. */
const maxAsked = 32;
const asked = new WeakMap<SignInContext, number>();

/** Milliseconds by which another machine's clock may differ. */
const maxSkew = 60_000;

interface Remembered extends UpstreamAttempt {
  readonly startedAt: number;
  /** The session that has to be proved once more; left out for a sign-in. */
  readonly again?: string;
}

const callbackPath = '/signin/upstream/callback';

/** POST /signin/upstream: off to the other provider. */
export async function goUpstream(context: SignInContext, exchange: RequestContext): Promise<void> {
  context.requireForm(exchange);
  await leave(context, exchange, undefined);
}

/** POST /signin/again/upstream: the same for a signed-in person, who has to sign in there once more. */
export async function goUpstreamAgain(context: SignInContext, exchange: RequestContext): Promise<void> {
  const signedIn = context.signedIn(exchange);
  if (signedIn === undefined) return context.goTo(exchange, `${context.base}/signin`);
  context.requireForm(exchange, signedIn.sessionId);
  await leave(context, exchange, signedIn.sessionId);
}

/** @param again the session that has to be proved once more */
async function leave(context: SignInContext, exchange: RequestContext, again: string | undefined): Promise<void> {
  const { upstream, url: ownUrl } = context.options;
  if (upstream === undefined) throw notFound();
  let begun;
  try {
    begun = await upstream.begin(ownUrl + callbackPath, again !== undefined);
  } catch (error) {
    return showError(context, exchange, error, 502, `${upstream.name} did not answer`, 'Try again in a moment.');
  }
  const returnTo = readReturnPath(context.field(exchange, 'return'), context.base);
  const remembered: Remembered = {
    ...begun.attempt,
    startedAt: context.host.clock.now(),
    ...(again !== undefined && { again }),
  };
  const text = Buffer.from(JSON.stringify(remembered)).toString('base64url');
  context.cookies.set(exchange.response, attemptCookie, `${text}.${seal(context, text).toString('base64url')}`);
  if (returnTo === undefined) context.cookies.clear(exchange.response, wayCookie);
  else context.cookies.set(exchange.response, wayCookie, returnTo.replaceAll(/[",;]/g, encodeURIComponent));
  context.show(exchange, goingOnPage({ base: context.base, to: begun.url, title: `On to ${upstream.name}` }));
}

/**
 * GET /signin/upstream/callback: the return, with the person's identity. It creates no identity for a person without
 * one here.
 */
export async function comeBack(context: SignInContext, exchange: RequestContext): Promise<void> {
  const { upstream, url: ownUrl } = context.options;
  if (upstream === undefined) throw notFound();
  const { people } = context.host;
  const remembered = readAttempt(context, exchange);
  const returnTo = readReturnPath(context.cookies.read(exchange.request.headers.cookie, wayCookie), context.base);
  for (const name of [attemptCookie, wayCookie]) context.cookies.clear(exchange.response, name);
  if (remembered === undefined)
    throw invalidRequest('stale_form', 'That took too long, or began elsewhere. Start again.');
  context.holdToRate(exchange);
  let answered;
  try {
    const answer = new URL(`${ownUrl}${callbackPath}?${exchange.query.toString()}`);
    answered = await inTurn(context, () => upstream.finish(answer, remembered));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return showError(
      context,
      exchange,
      error,
      502,
      `${upstream.name} did not sign you in`,
      'Start again, or use your password.',
    );
  }
  const { email } = answered;
  const address = email === undefined ? undefined : readVerifiedAddress(email);
  if (address?.isMistakable === true) {
    const message = `The e-mail address that ${upstream.name} vouches for has characters that look like others. It is not compared with any here. Ask an admin to add you by an address without them.`;
    return showError(context, exchange, undefined, 422, 'That address cannot be used', message);
  }
  const identity = address === undefined ? undefined : people.identities.findByName(address.name);
  const seats = readMemberships(context.host, identity?.id ?? '', address?.name ?? null);
  if (identity === undefined || seats.memberships.length === 0) {
    const message = `${upstream.name} vouches for no e-mail address that anybody signs in with here. Ask an admin to add you by it.`;
    return showError(context, exchange, undefined, 422, 'Nobody by that address', message);
  }
  if (remembered.again !== undefined) {
    const { signedInAt } = answered;
    const isAnew = signedInAt !== undefined && signedInAt > remembered.startedAt - maxSkew;
    const present = context.signedIn(exchange);
    const isSame = present?.sessionId === remembered.again && present.identityId === identity.id;
    if (!isAnew || !isSame) {
      const message = isSame
        ? `${upstream.name} does not say that you have just signed in there. Use your password here. If you have none, ask an admin for a link to choose one.`
        : `${upstream.name} vouches for somebody else than the person who is signed in here.`;
      return showError(context, exchange, undefined, 422, 'That proves nothing', message);
    }
  }
  // Without `again` the provider was not told to ask anything, so a click may have been all.
  await context.signIn(exchange, seats, {
    identityId: identity.id,
    method: 'upstream',
    isProvenNow: remembered.again !== undefined,
    vouchedFor: address?.name ?? null,
  });
  goOn(context, exchange, returnTo);
}

/** @throws Refusal UNAVAILABLE when too many are under way */
async function inTurn<Result>(context: SignInContext, ask: () => Promise<Result>): Promise<Result> {
  const before = asked.get(context) ?? 0;
  if (before >= maxAsked) throw unavailable(new Error('Too many people come back from the other provider at once.'));
  asked.set(context, before + 1);
  try {
    return await ask();
  } finally {
    asked.set(context, (asked.get(context) ?? 1) - 1);
  }
}

function showError(
  context: SignInContext,
  exchange: RequestContext,
  cause: unknown,
  status: number,
  title: string,
  message: string,
): void {
  const { base } = context;
  if (cause !== undefined)
    context.options.log.error({ id: exchange.id, err: cause }, 'The other provider did not help');
  const next = { path: `${base}/signin`, label: 'Back to signing in' };
  context.show(exchange, errorPage({ base, title, message, requestId: exchange.id, next }), status);
}

function seal({ host }: SignInContext, text: string): Buffer {
  return createHmac('sha256', host.formKey).update(`upstream:${text}`).digest();
}

function readAttempt(context: SignInContext, { request }: RequestContext): Remembered | undefined {
  const [text = '', proof = ''] = (context.cookies.read(request.headers.cookie, attemptCookie) ?? '').split('.');
  const expected = seal(context, text);
  const sent = Buffer.from(proof, 'base64url');
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
  const remembered = JSON.parse(Buffer.from(text, 'base64url').toString()) as Remembered;
  return context.host.clock.now() - remembered.startedAt < maxAwayTime ? remembered : undefined;
}
