import { judgePassword, minPasswordLength } from '../access/identities.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import { setPassword } from '../operations/principals/sign-in.js';
import type { StoredIdentity } from '../sidecar/tables/identity-table.js';
import type { Membership } from '../domain/signed-in.js';
import type { SignInContext, RequestContext } from './sign-in-context.js';
import { setPasswordPage } from './pages/set-password.js';
import { linkSpentPage } from './pages/tell.js';
import { recordOwn } from './record.js';
import { readMemberships } from './signed-in.js';
import { goOn } from './sign-in-with-password.js';

interface Holder {
  readonly identity: StoredIdentity;
  readonly memberships: readonly Membership[];
}

/** Links whose password is being hashed: what comes a second time meanwhile comes too late. */
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
  const { identity, memberships } = holder;
  const isRepeated = context.field(exchange, 'again') === password;
  const error = judgePassword(password, identity.signInName) ?? (isRepeated ? undefined : 'The two are not the same.');
  if (error !== undefined) return showForm(context, exchange, link, holder, error);
  const busy = underWay.get(context) ?? new Set();
  underWay.set(context, busy);
  if (busy.has(link)) return refuse(context, exchange);
  busy.add(link);
  let unrecorded: readonly OAuthGrant[] = [];
  try {
    const { links, passwords, consents } = context.host.people;
    const hash = await passwords.hash(password);
    if (findHolder(context, link) === undefined) return refuse(context, exchange);
    await recordOwn(context.host, memberships, exchange.id, setPassword, { isFirst: identity.passwordHash === null });
    const known = consents.listOf(identity.id);
    await context.recordEnded(exchange, known);
    const ended = links.use(link, hash);
    if (ended === undefined) return refuse(context, exchange);
    unrecorded = ended.filter(({ id }) => known.every((each) => each.id !== id));
  } finally {
    busy.delete(link);
  }
  await context.signIn(exchange, identity.id, memberships, 'link');
  await context.recordEnded(exchange, unrecorded);
  goOn(context, exchange, undefined);
}

/** Whom a link is for, where they may act as anybody. */
function findHolder({ host }: SignInContext, link: string): Holder | undefined {
  const identity = host.people.links.look(link);
  if (identity === undefined) return undefined;
  const { memberships } = readMemberships(host, identity.id);
  return memberships.length === 0 ? undefined : { identity, memberships };
}

function refuse(context: SignInContext, exchange: RequestContext): void {
  context.show(exchange, linkSpentPage({ base: context.base }), 410);
}

function showForm(
  context: SignInContext,
  exchange: RequestContext,
  link: string,
  { identity, memberships }: Holder,
  error?: string,
): void {
  const page = setPasswordPage({
    base: context.base,
    csrf: context.proof.issue(exchange.request, exchange.response),
    link,
    signInName: identity.signInName,
    displayName: memberships[0]?.displayName ?? identity.signInName,
    isFirst: identity.passwordHash === null,
    minPasswordLength,
    error,
  });
  context.show(exchange, page, error === undefined ? 200 : 422);
}
