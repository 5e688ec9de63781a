import { judgePassword, minPasswordLength } from '../access/identities.js';
import type { LinkHolder } from '../access/one-time-links.js';
import { unavailable } from '../domain/refusal.js';
import type { Seat } from '../domain/signed-in.js';
import { performOwn } from '../operations/perform-own.js';
import { setPassword } from '../operations/principals/change-session.js';
import type { SignInContext, RequestContext } from './sign-in-context.js';
import { listMade } from './keys-of-person.js';
import { listTraces } from './own-traces.js';
import { setPasswordPage } from './pages/set-password.js';
import { linkSpentPage } from './pages/message-pages.js';
import { actorsOf, waitingActorOf } from './record.js';
import { readMemberships, type Memberships } from './read-session.js';
import { goOn } from './sign-in-with-password.js';

interface Holder {
  readonly identity: LinkHolder;
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
  try {
    const { journal, people } = context.host;
    const passwordHash = await people.passwords.hash(password);
    // Looked up again: nothing is awaited from here to the change.
    const present = findHolder(context, link);
    if (present === undefined) return refuse(context, exchange);
    const { secret } = await performOwn(journal, actorsOf(present.seats, exchange.id), setPassword, {
      link,
      passwordHash,
      isFirst: identity.passwordHash === null,
      session: context.describeSession(exchange, { identityId: identity.id, method: 'link' }),
      actorsOf: (consent) => [waitingActorOf(consent, exchange.id)],
    });
    context.keepSession(exchange, identity.id, secret);
  } finally {
    busy.delete(link);
  }
  // Keys and more go on under a new password. Who had the old one may have made some.
  const since = identity.passwordSetAt ?? undefined;
  const seats = readMemberships(context.host, identity.id, null);
  const lists = [listMade, listTraces];
  const isListed = since !== undefined && lists.some((list) => list(context.host, seats, since).length > 0);
  goOn(context, exchange, isListed ? `${context.base}/signin/sessions?since=${since}` : undefined);
}

/**
 * The person of a link, provided that they are still a person of the workspace that made it.
 * @throws Refusal UNAVAILABLE when that workspace cannot be read now
 */
function findHolder({ host }: SignInContext, link: string): Holder | undefined {
  const identity = host.people.links.look(link);
  if (identity === undefined) return undefined;
  const seats = readMemberships(host, identity.id, null, identity.seat);
  const isOf = ({ workspace }: Seat): boolean => workspace === identity.seat.workspace;
  if (seats.unread.some(isOf)) throw unavailable();
  return seats.memberships.some(isOf) ? { identity, seats } : undefined;
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
  const seat = seats.memberships.find(({ workspace }) => workspace === identity.seat.workspace);
  const page = setPasswordPage({
    base: context.base,
    csrf: context.proof.issue(exchange.request, exchange.response),
    link,
    signInName: identity.signInName,
    displayName: seat?.displayName ?? identity.signInName,
    workspace: seat?.title ?? identity.seat.workspace,
    isFirst: identity.passwordHash === null,
    minPasswordLength,
    error,
  });
  context.show(exchange, page, error === undefined ? 200 : 422);
}
