import { judgePassword, minPasswordLength } from '../access/identities.js';
import { performOwn } from '../operations/perform-own.js';
import { setPassword } from '../operations/principals/sign-in.js';
import type { StoredIdentity } from '../sidecar/tables/identity-table.js';
import type { SignInContext, RequestContext } from './sign-in-context.js';
import { setPasswordPage } from './pages/set-password.js';
import { linkSpentPage } from './pages/message-pages.js';
import { actorsOf, waitingActorOf } from './record.js';
import { readMemberships, type Memberships } from './signed-in.js';
import { goOn } from './sign-in-with-password.js';

interface Holder {
  readonly identity: StoredIdentity;
  readonly seats: Memberships;
}

/** Links whose password is being hashed: a second request for one comes too late. */
const underWay = new WeakMap<SignInContext, Set<string>>();

/** GET /signin/link/SECRET: the form. Looking uses nothing up, since programs look at links before people do. */
export function showLink(context: SignInContext, exchange: RequestContext): void {
  const { secret: link } = exchange;
  const holder = findHolder(context, link);
  if (holder === undefined) refuse(context, exchange);
  else showForm(context, exchange, link, holder);
}

/** POST /signin/link: uses the link up, sets the password, ends all sessions and consents, and signs in. */
export async function choosePassword(context: SignInContext, exchange: RequestContext): Promise<void> {
  context.requireForm(exchange);
  const link = context.field(exchange, 'link') ?? '';
  const password = context.field(exchange, 'password') ?? '';
  const holder = findHolder(context, link);
  if (holder === undefined) return refuse(context, exchange);
  const { identity } = holder;
  const isRepeated = context.field(exchange, 'again') === password;
  const error = judgePassword(password, identity.signInName) ?? (isRepeated ? undefined : 'The two are not the same.');
  if (error !== undefined) return showForm(context, exchange, link, holder, error);
  const busy = underWay.get(context) ?? new Set();
  underWay.set(context, busy);
  if (busy.has(link)) return refuse(context, exchange);
  busy.add(link);
  let seats: Memberships;
  try {
    const { journal, people } = context.host;
    const passwordHash = await people.passwords.hash(password);
    // Looked up again: nothing is awaited from here to the change.
    const present = findHolder(context, link);
    if (present === undefined) return refuse(context, exchange);
    ({ seats } = present);
    await performOwn(journal, actorsOf(seats, exchange.id), setPassword, {
      link,
      passwordHash,
      isFirst: identity.passwordHash === null,
      actorsOf: (consent) => [waitingActorOf(consent, exchange.id)],
    });
  } finally {
    busy.delete(link);
  }
  await context.signIn(exchange, identity.id, seats, 'link');
  goOn(context, exchange, undefined);
}

/** The person of a link, provided they are a member of some workspace. */
function findHolder({ host }: SignInContext, link: string): Holder | undefined {
  const identity = host.people.links.look(link);
  if (identity === undefined) return undefined;
  const seats = readMemberships(host, identity.id);
  return seats.memberships.length === 0 ? undefined : { identity, seats };
}

function refuse(context: SignInContext, exchange: RequestContext): void {
  context.show(exchange, linkSpentPage({ base: context.base }), 410);
}

function showForm(
  context: SignInContext,
  exchange: RequestContext,
  link: string,
  { identity, seats }: Holder,
  error?: string,
): void {
  const page = setPasswordPage({
    base: context.base,
    csrf: context.proof.issue(exchange.request, exchange.response),
    link,
    signInName: identity.signInName,
    displayName: seats.memberships[0]?.displayName ?? identity.signInName,
    isFirst: identity.passwordHash === null,
    minPasswordLength,
    error,
  });
  context.show(exchange, page, error === undefined ? 200 : 422);
}
