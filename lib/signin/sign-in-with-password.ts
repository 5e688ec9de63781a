import { foldSignInName } from '../access/identities.js';
import { unavailable } from '../domain/refusal.js';
import type { SignInContext, RequestContext } from './sign-in-context.js';
import { signInPage } from './pages/sign-in-page.js';
import { goingOnPage } from './pages/message-pages.js';
import { readReturnPath } from './return-path.js';
import { readMemberships, type Memberships } from './read-session.js';

/** Where people work, once they have signed in. */
export const consolePath = '/console';
/** Characters of a name in the answer. */
const maxTypedLength = 300;
/** One sentence for every reason. */
const mismatch = 'That name and password do not match.';

/**
 * GET /signin: the form, or the signed-in person. `return` is the target afterwards; with `again` it asks in any case.
 */
export function showSignIn(context: SignInContext, exchange: RequestContext): void {
  const { query } = exchange;
  const returnTo = readReturnPath(query.get('return'), context.base);
  const signedIn = context.signedIn(exchange);
  if (signedIn === undefined || query.has('again')) {
    showForm(context, exchange, { returnTo });
  } else if (returnTo !== undefined) {
    context.goTo(exchange, returnTo);
  } else {
    context.goTo(exchange, context.base + consolePath);
  }
}

/** The outcome of comparing a name and a password. */
export type PasswordProof =
  | { readonly outcome: 'wait'; readonly seconds: number }
  | { readonly outcome: 'mismatch' }
  | { readonly outcome: 'proven'; readonly identityId: string; readonly seats: Memberships };

/** The sentence for an attempt that comes too early. */
export const explainWait = (seconds: number): string =>
  `Too many attempts. Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, and try again.`;

/** POST /signin. */
export async function signInWithPassword(context: SignInContext, exchange: RequestContext): Promise<void> {
  context.requireForm(exchange);
  const typed = (context.field(exchange, 'name') ?? '').slice(0, maxTypedLength);
  const returnTo = readReturnPath(context.field(exchange, 'return'), context.base);
  const proof = await provePassword(context, exchange, typed);
  switch (proof.outcome) {
    case 'wait':
      exchange.response.setHeader('Retry-After', String(proof.seconds));
      showForm(context, exchange, { returnTo, name: typed, error: explainWait(proof.seconds) }, 429);
      return;
    case 'mismatch':
      showForm(context, exchange, { returnTo, name: typed, error: mismatch }, 422);
      return;
    case 'proven':
      await context.signIn(exchange, proof.seats, { identityId: proof.identityId, method: 'password' });
      goOn(context, exchange, returnTo);
  }
}

/**
 * Compares the form's password with that of a name. An unknown name takes the same steps as a known one with a wrong
 * password. They are a look-up, the delay, a hash, a look-up again, and the look-up of memberships.
 * @param typed the name, as a person writes it
 * @throws Refusal UNAVAILABLE
 */
export async function provePassword(
  context: SignInContext,
  exchange: RequestContext,
  typed: string,
): Promise<PasswordProof> {
  const { people } = context.host;
  const password = context.field(exchange, 'password') ?? '';
  const name = foldSignInName(typed);
  const address = context.addressOf(exchange);
  const before = people.identities.findByName(name);
  const browser = context.known.recognise(exchange.request.headers.cookie, before);
  const asker = browser === undefined ? 'stranger' : 'known';
  people.passwords.requireRoom(asker);
  const seconds = people.delay.begin(name, address, browser);
  if (seconds > 0) return { outcome: 'wait', seconds };
  const isMatch = await people.passwords.matches(password, before?.passwordHash, asker);
  // Read again, since the compared hash may be old by now. Nothing is awaited from here until the session exists.
  const identity = people.identities.findByName(name);
  const isRight = isMatch && identity?.id === before?.id && identity?.passwordHash === before?.passwordHash;
  const seats = readMemberships(context.host, identity?.id ?? '', null);
  if (identity === undefined || !isRight || seats.memberships.length === 0) {
    if (isRight && seats.unread.length > 0) throw unavailable();
    context.countRefused(identity?.id ?? '', isRight ? 'principal_disabled' : 'wrong_secret', address);
    return { outcome: 'mismatch' };
  }
  people.delay.succeed(name, address, browser);
  return { outcome: 'proven', identityId: identity.id, seats };
}

/** After signing in: to the requested page, else into the console. */
export function goOn(context: SignInContext, exchange: RequestContext, returnTo: string | undefined): void {
  if (returnTo === undefined) context.goTo(exchange, context.base + consolePath);
  else context.show(exchange, goingOnPage({ base: context.base, to: returnTo }));
}

interface Shown {
  readonly returnTo: string | undefined;
  readonly name?: string;
  readonly error?: string;
}

function showForm(context: SignInContext, exchange: RequestContext, shown: Shown, status = 200): void {
  const page = signInPage({
    base: context.base,
    csrf: context.proof.issue(exchange.request, exchange.response),
    upstream: context.options.upstream?.name,
    ...shown,
  });
  context.show(exchange, page, status);
}
