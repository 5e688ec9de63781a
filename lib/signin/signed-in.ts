import type { ReadSession, SignedIn } from '../domain/signed-in.js';
import type { Membership } from '../domain/signed-in.js';
import { unavailable } from '../domain/refusal.js';
import type { Cookies } from './cookies.js';
import type { SignInHost } from './host.js';

export const sessionCookie = 'cartulary';
const secretPattern = /^[0-9a-x]{52}$/;

/** Whom an identity may act as at this moment: persons of workspaces that are not disabled there. */
export function readMemberships(
  host: Pick<SignInHost, 'people' | 'find'>,
  identityId: string,
): { readonly memberships: readonly Membership[]; readonly isComplete: boolean } {
  const memberships: Membership[] = [];
  let isComplete = true;
  for (const { workspace, principalId } of host.people.identities.membershipsOf(identityId)) {
    try {
      const principal = host.find(workspace)?.journal.reader.principals.find(principalId);
      if (principal?.kind !== 'person' || principal.disabledAt !== null) continue;
      memberships.push({ workspace, principalId, displayName: principal.displayName });
    } catch {
      // A workspace that cannot be read keeps nobody from the others.
      isComplete = false;
    }
  }
  return { memberships, isComplete };
}

/**
 * Makes the function that looks up who is signed in, in each request anew.
 * It throws Refusal UNAVAILABLE where every workspace that would say so cannot be read.
 */
export function makeReadSession(host: Pick<SignInHost, 'people' | 'find'>, cookies: Cookies): ReadSession {
  return (header) => {
    const secret = cookies.read(header, sessionCookie);
    if (secret === undefined || !secretPattern.test(secret)) return undefined;
    const session = host.people.sessions.read(secret);
    const identity = session === undefined ? undefined : host.people.identities.find(session.identityId);
    if (session === undefined || identity === undefined) return undefined;
    const { memberships, isComplete } = readMemberships(host, identity.id);
    if (memberships.length === 0) {
      if (isComplete) return undefined;
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
