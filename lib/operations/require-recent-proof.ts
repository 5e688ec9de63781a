import type { Caller } from '../domain/caller.js';
import type { Subject } from '../domain/grant.js';
import { rootLocation, type Location } from '../domain/location.js';
import { conflict } from '../domain/refusal.js';
import type { Tables } from '../sidecar/tables.js';

/** Milliseconds for which a proof of identity is recent. */
const recentFor = 5 * 60_000;

/**
 * Until when the proof of a person's identity is recent.
 * @returns milliseconds since 1970; null where it is recent no longer, or the caller is in no browser
 */
export function recentUntil({ provenAt }: Pick<Caller, 'provenAt'>, now: number): number | null {
  // A clock that was set back makes no old proof a recent one.
  return provenAt !== undefined && provenAt <= now && now < provenAt + recentFor ? provenAt + recentFor : null;
}

/**
 * For what cannot be taken back, and for what outlives the session: keys, sign-in links, access to everything. A browser
 * may be left open, so the person has to prove who they are, moments before. Callers with a key proved it with the
 * request.
 * @throws Refusal CONFLICT `sign_in_again`
 */
export function requireRecentProof(caller: Pick<Caller, 'interface' | 'provenAt'>, now: number): void {
  if (caller.interface !== 'console' || recentUntil(caller, now) !== null) return;
  throw conflict(
    'sign_in_again',
    'Show first that it is still you: sign in again, then repeat this within five minutes.',
  );
}

/** The same, where a grant would reach everything. @throws Refusal CONFLICT `sign_in_again` */
export function requireProofAtRoot(
  caller: Pick<Caller, 'interface' | 'provenAt'>,
  { scopeType, location }: { readonly scopeType: 'folder' | 'document'; readonly location: Location },
  now: number,
): void {
  if (scopeType === 'folder' && location === rootLocation) requireRecentProof(caller, now);
}

/** The same, where a group has a grant at the root, itself or by a group above. @throws Refusal CONFLICT `sign_in_again` */
export function requireProofForGroup(
  caller: Pick<Caller, 'interface' | 'provenAt'>,
  { groups, grants }: Tables,
  groupId: string,
  now: number,
): void {
  const group: Subject = { type: 'group', id: groupId };
  const ids = new Set([groupId, ...groups.groupsAbove(group)]);
  const reachesAll = grants
    .on({ type: 'folder', location: rootLocation })
    .some(({ subject }) => subject.type === 'group' && ids.has(subject.id));
  if (reachesAll) requireRecentProof(caller, now);
}
