import type { Caller } from '../domain/caller.js';
import { conflict } from '../domain/refusal.js';

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
 * For what cannot be taken back: a browser may be left open, so the person has to prove who they are, moments before.
 * Callers with a key proved it with the request.
 * @throws Refusal CONFLICT `sign_in_again`
 */
export function requireRecentProof(caller: Pick<Caller, 'interface' | 'provenAt'>, now: number): void {
  if (caller.interface !== 'console' || recentUntil(caller, now) !== null) return;
  throw conflict(
    'sign_in_again',
    'This cannot be taken back: sign in again first, then repeat it within five minutes.',
  );
}
