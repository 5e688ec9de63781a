import type { Caller } from '../domain/caller.js';
import type { Seat } from '../domain/signed-in.js';
import type { Actor } from '../operations/operation.js';
import type { Memberships } from './read-session.js';

/** The person of a request, in each of their workspaces. An unreadable workspace gets its record later. */
export function actorsOf({ memberships, unread }: Memberships, requestId: string): Actor[] {
  return [
    ...memberships.map((seat) => actorOf(seat, requestId)),
    ...unread.map((seat) => waitingActorOf(seat, requestId)),
  ];
}

/** The person of a request, in one workspace. The answer does not wait for its record where that cannot be made now. */
export function waitingActorOf(seat: Seat, requestId: string): Actor {
  return { ...actorOf(seat, requestId), mayWait: true };
}

/** The person of a request, in one workspace. */
export function actorOf({ workspace, principalId }: Seat, requestId: string): Actor {
  const caller: Caller = { principalId, kind: 'person', credentialId: null, interface: 'console', requestId };
  return { workspace, caller };
}
