import { foldSignInName } from '../access/identities.js';
import { unavailable } from '../domain/refusal.js';
import type { Desk, Visit } from './sign-in-context.js';
import { signInPage } from './pages/sign-in.js';
import { goingOnPage, signedInPage } from './pages/tell.js';
import { readReturnPath } from './return-path.js';
import { readMemberships } from './signed-in.js';

/** Characters of a name that are shown again. */
const maxTypedLength = 300;
/** One sentence for every reason. */
const mismatch = 'That name and password do not match.';

/** GET /signin: the form, or who is signed in. `return` is where to go afterwards; with `again` it asks in any case. */
export function showSignIn(desk: Desk, visit: Visit): void {
  const { query } = visit;
  const returnTo = readReturnPath(query.get('return'), desk.base);
  const signedIn = desk.signedIn(visit);
  if (signedIn === undefined || query.has('again')) {
    showForm(desk, visit, { returnTo });
  } else if (returnTo !== undefined) {
    desk.goTo(visit, returnTo);
  } else {
    const { signInName, memberships, sessionId } = signedIn;
    const page = signedInPage({
      base: desk.base,
      csrf: desk.proof.issue(visit.request, visit.response, sessionId),
      displayName: memberships[0]?.displayName ?? signInName,
      signInName,
      workspaces: memberships.map(({ workspace, displayName }) => ({ name: workspace, displayName })),
    });
    desk.show(visit, page);
  }
}

/**
 * POST /signin. A name that nobody has takes the same steps as one that somebody has, up to a password that is right:
 * a look-up, the delay, a hash, a look-up again, the look-up of memberships.
 */
export async function signInWithPassword(desk: Desk, visit: Visit): Promise<void> {
  desk.requireForm(visit);
  const { people } = desk.host;
  const typed = (desk.field(visit, 'name') ?? '').slice(0, maxTypedLength);
  const password = desk.field(visit, 'password') ?? '';
  const returnTo = readReturnPath(desk.field(visit, 'return'), desk.base);
  const name = foldSignInName(typed);
  const address = desk.addressOf(visit);
  const before = people.identities.findByName(name);
  const browser = desk.known.recognise(visit.request.headers.cookie, before);
  const asker = browser === undefined ? 'stranger' : 'known';
  people.passwords.requireRoom(asker);
  const wait = people.delay.begin(name, address, browser);
  if (wait > 0) {
    visit.response.setHeader('Retry-After', String(wait));
    const error = `Too many attempts. Wait ${wait === 1 ? 'a second' : `${wait} seconds`}, and try again.`;
    showForm(desk, visit, { returnTo, name: typed, error }, 429);
    return;
  }
  const isMatch = await people.passwords.matches(password, before?.passwordHash, asker);
  // Read again, and nothing is awaited from here until the session is there: what was compared may be old by now.
  const identity = people.identities.findByName(name);
  const isRight = isMatch && identity?.id === before?.id && identity?.passwordHash === before?.passwordHash;
  const { memberships, isComplete } = readMemberships(desk.host, identity?.id ?? '');
  if (identity === undefined || !isRight || memberships.length === 0) {
    if (isRight && !isComplete) throw unavailable();
    desk.countRefused(identity?.id ?? '', isRight ? 'principal_disabled' : 'wrong_secret', address);
    showForm(desk, visit, { returnTo, name: typed, error: mismatch }, 422);
    return;
  }
  people.delay.succeed(name, address, browser);
  await desk.signIn(visit, identity.id, memberships, 'password');
  goOn(desk, visit, returnTo);
}

/** After signing in: to where it was asked for, else to who is signed in. */
export function goOn(desk: Desk, visit: Visit, returnTo: string | undefined): void {
  if (returnTo === undefined) desk.goTo(visit, `${desk.base}/signin`);
  else desk.show(visit, goingOnPage({ base: desk.base, to: returnTo }));
}

interface Shown {
  readonly returnTo: string | undefined;
  readonly name?: string;
  readonly error?: string;
}

function showForm(desk: Desk, visit: Visit, shown: Shown, status = 200): void {
  const page = signInPage({
    base: desk.base,
    csrf: desk.proof.issue(visit.request, visit.response),
    upstream: desk.options.upstream?.name,
    ...shown,
  });
  desk.show(visit, page, status);
}
