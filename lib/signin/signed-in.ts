import { unavailable } from '../domain/refusal.js';
import type { Membership, ReadSession, Seat, SignedIn } from '../domain/signed-in.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';
import type { Cookies } from './cookies.js';
import type { SignInDependencies } from './dependencies.js';

/** The cookie that holds a session's secret; over https it has the prefix `__Host-`. */
export const sessionCookie = 'cartulary';
const secretPattern = /^[0-9a-x]{52}$/;

export interface Memberships {
  /** Whom the identity may act as at this moment: persons of workspaces that are not disabled there. */
  readonly memberships: readonly Membership[];
  /** Those in workspaces that cannot be read at this moment. */
  readonly unread: readonly Seat[];
}

/**
 * Looks up in each workspace whom an identity may act as. Nothing is thrown where one cannot be read.
 */
export function readMemberships(host: Pick<SignInDependencies, 'people' | 'find'>, identityId: string): Memberships {
  const memberships: Membership[] = [];
  const unread: Seat[] = [];
  for (const { workspace, principalId } of host.people.identities.membershipsOf(identityId)) {
    try {
      const principal = host.find(workspace)?.journal.reader.principals.find(principalId);
      if (principal?.kind !== 'person' || principal.disabledAt !== null) continue;
      memberships.push({ workspace, principalId, displayName: principal.displayName });
    } catch {
      // A workspace that cannot be read keeps nobody from the others.
      unread.push({ workspace, principalId });
    }
  }
  return { memberships, unread };
}

/** The session in force that a request's cookie opens, whether or not anybody is left whom its owner may act as. */
export function findSession(
  host: Pick<SignInDependencies, 'people'>,
  cookies: Cookies,
  header: string | undefined,
): StoredSession | undefined {
  const secret = cookies.read(header, sessionCookie);
  return secret !== undefined && secretPattern.test(secret) ? host.people.sessions.read(secret) : undefined;
}

/**
 * Makes the function that looks up who is signed in, in each request anew.
 * It throws Refusal UNAVAILABLE where every workspace that would say so cannot be read.
 */
export function makeReadSession(host: Pick<SignInDependencies, 'people' | 'find'>, cookies: Cookies): ReadSession {
  return (header) => {
    const session = findSession(host, cookies, header);
    const identity = session === undefined ? undefined : host.people.identities.find(session.identityId);
    if (session === undefined || identity === undefined) return undefined;
    const { memberships, unread } = readMemberships(host, identity.id);
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
      memberships,
    };
    return signedIn;
  };
}
