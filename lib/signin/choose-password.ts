import { judgePassword, minPasswordLength } from '../access/identities.js';
import type { OAuthGrant } from '../domain/oauth-grant.js';
import { setPassword } from '../operations/principals/sign-in.js';
import type { StoredIdentity } from '../sidecar/tables/identity-table.js';
import type { Membership } from '../domain/signed-in.js';
import type { Desk, Visit } from './sign-in-context.js';
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
const underWay = new WeakMap<Desk, Set<string>>();

/** GET /signin/link/SECRET: the form. Looking uses nothing up, since programs look at links before people do. */
export function showLink(desk: Desk, visit: Visit): void {
  const { secret: link } = visit;
  const holder = findHolder(desk, link);
  if (holder === undefined) refuse(desk, visit);
  else showForm(desk, visit, link, holder);
}

/** POST /signin/link: uses the link up, sets the password, ends all sessions and consents, and signs in. */
export async function choosePassword(desk: Desk, visit: Visit): Promise<void> {
  desk.requireForm(visit);
  const link = desk.field(visit, 'link') ?? '';
  const password = desk.field(visit, 'password') ?? '';
  const holder = findHolder(desk, link);
  if (holder === undefined) return refuse(desk, visit);
  const { identity, memberships } = holder;
  const isRepeated = desk.field(visit, 'again') === password;
  const error = judgePassword(password, identity.signInName) ?? (isRepeated ? undefined : 'The two are not the same.');
  if (error !== undefined) return showForm(desk, visit, link, holder, error);
  const busy = underWay.get(desk) ?? new Set();
  underWay.set(desk, busy);
  if (busy.has(link)) return refuse(desk, visit);
  busy.add(link);
  let unrecorded: readonly OAuthGrant[] = [];
  try {
    const { links, passwords, consents } = desk.host.people;
    const hash = await passwords.hash(password);
    if (findHolder(desk, link) === undefined) return refuse(desk, visit);
    await recordOwn(desk.host, memberships, visit.id, setPassword, { isFirst: identity.passwordHash === null });
    const known = consents.listOf(identity.id);
    await desk.recordEnded(visit, known);
    const ended = links.use(link, hash);
    if (ended === undefined) return refuse(desk, visit);
    unrecorded = ended.filter(({ id }) => known.every((each) => each.id !== id));
  } finally {
    busy.delete(link);
  }
  await desk.signIn(visit, identity.id, memberships, 'link');
  await desk.recordEnded(visit, unrecorded);
  goOn(desk, visit, undefined);
}

/** Whom a link is for, where they may act as anybody. */
function findHolder({ host }: Desk, link: string): Holder | undefined {
  const identity = host.people.links.look(link);
  if (identity === undefined) return undefined;
  const { memberships } = readMemberships(host, identity.id);
  return memberships.length === 0 ? undefined : { identity, memberships };
}

function refuse(desk: Desk, visit: Visit): void {
  desk.show(visit, linkSpentPage({ base: desk.base }), 410);
}

function showForm(desk: Desk, visit: Visit, link: string, { identity, memberships }: Holder, error?: string): void {
  const page = setPasswordPage({
    base: desk.base,
    csrf: desk.proof.issue(visit.request, visit.response),
    link,
    signInName: identity.signInName,
    displayName: memberships[0]?.displayName ?? identity.signInName,
    isFirst: identity.passwordHash === null,
    minPasswordLength,
    error,
  });
  desk.show(visit, page, error === undefined ? 200 : 422);
}
