import { readTitle } from '../access/read-policy.js';
import { unavailable } from '../domain/refusal.js';
import type { Membership, ReadSession, Seat, SignedIn } from '../domain/signed-in.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';
import type { Cookies } from './cookies.js';
import type { SignInDependencies } from './sign-in-dependencies.js';

/** The cookie for a session's secret; over https it has the prefix `__Host-`. */
export const sessionCookie = 'cartulary';
const secretPattern = /^[0-9a-x]{52}$/;

export interface Memberships {
  /** The identity's principals at this moment: persons of workspaces, not disabled there. */
  readonly memberships: readonly Membership[];
  /** Those in workspaces that cannot be read at this moment. */
  readonly unread: readonly Seat[];
}

/**
 * Looks up an identity's principal in each workspace. An unreadable workspace throws nothing.
 * @param vouchedFor the address that another provider vouched for; null for all other sign-ins
 * @param joining a workspace that the person joins just now
 */
export function readMemberships(
  host: Pick<SignInDependencies, 'people' | 'find'>,
  identityId: string,
  vouchedFor: string | null,
  joining?: Seat,
): Memberships {
  const memberships: Membership[] = [];
  const unread: Seat[] = [];
  const joined = host.people.identities.membershipsOf(identityId, vouchedFor);
  const isThere = joined.some(({ workspace }) => workspace === joining?.workspace);
  for (const { workspace, principalId } of joining === undefined || isThere ? joined : [...joined, joining]) {
    try {
      const tables = host.find(workspace)?.journal.reader;
      const principal = tables?.principals.find(principalId);
      if (tables === undefined || principal?.kind !== 'person' || principal.disabledAt !== null) continue;
      const title = readTitle(tables, workspace);
      memberships.push({ workspace, title, principalId, displayName: principal.displayName });
    } catch {
      // An unreadable workspace does not keep the person from the others.
      unread.push({ workspace, principalId });
    }
  }
  return { memberships, unread };
}

/** The session in force of a request's cookie, even if its owner has no principal left. */
export function findSession(
  host: Pick<SignInDependencies, 'people'>,
  cookies: Cookies,
  header: string | undefined,
): StoredSession | undefined {
  const secret = cookies.read(header, sessionCookie);
  return secret !== undefined && secretPattern.test(secret) ? host.people.sessions.read(secret) : undefined;
}

/**
 * Makes the function for the signed-in person, looked up in each request. It throws Refusal UNAVAILABLE where none of
 * the deciding workspaces can be read.
 */
export function makeReadSession(host: Pick<SignInDependencies, 'people' | 'find'>, cookies: Cookies): ReadSession {
  return (header) => {
    const session = findSession(host, cookies, header);
    const identity = session === undefined ? undefined : host.people.identities.find(session.identityId);
    if (session === undefined || identity === undefined) return undefined;
    const { memberships, unread } = readMemberships(host, identity.id, session.vouchedFor);
    if (memberships.length === 0) {
      if (unread.length === 0) return undefined;
      throw unavailable();
    }
    const signedIn: SignedIn = {
      sessionId: session.id,
      identityId: identity.id,
      signInName: identity.signInName,
      method: session.method,
      startedAt: session.startedAt,
      provenAt: session.provenAt,
      vouchedFor: session.vouchedFor,
      memberships,
    };
    return signedIn;
  };
}
