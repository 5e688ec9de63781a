import type { Tables } from '../../sidecar/tables.js';
import type { Workspace } from '../../workspace/workspace.js';

/**
 * When a principal was here last: by a key, by an application that acts as it, or in a browser. A browser of a person
 * with other workspaces does not count, because it may have been seen there.
 * @returns milliseconds since 1970, rounded down to the minute; null for never, or too long ago to be known
 */
export function findLastSeen({ name, origin }: Workspace, tables: Tables, principalId: string): number | null {
  const byKey = tables.credentials.lastUseOf(principalId);
  const { journal } = origin;
  const identity = journal?.people.identities.findOf(name, principalId);
  if (journal === null || identity === undefined) return byKey;
  const { identities, sessions } = journal.people;
  const byApplication = journal.oauth.lastUseOf(identity.id, name);
  const inBrowser = identities.isElsewhere(identity.id, name) ? null : sessions.lastSeenOf(identity.id);
  const last = Math.max(byKey ?? 0, byApplication ?? 0, inBrowser ?? 0);
  return last === 0 ? null : last;
}
