import type { Credential, Interface } from '../domain/credential.js';
import type { Principal } from '../domain/principal.js';
import { secretMatches, type KeyText } from './secret.js';
import type { KeyRows } from './known-keys.js';

/** Why a credential was refused: for the audit log, never for the caller. */
export type AuthenticationFault =
  | 'unknown'
  | 'wrong_secret'
  | 'revoked'
  | 'expired'
  | 'wrong_interface'
  | 'principal_disabled'
  /** An access token without the right to write. */
  | 'insufficient_scope';

export type Authentication =
  | { readonly accepted: true; readonly credential: Credential; readonly principal: Principal }
  | { readonly accepted: false; readonly fault: AuthenticationFault; readonly credentialId: string | null };

/** Compared against when there is no such credential, so both ways take the same steps. */
const noHash = new Uint8Array(32);

/** A key of a missing workspace: refused after the same hash as a key of an existing one. */
export function refuseUnknown(key: KeyText): Authentication {
  secretMatches(key.secret, noHash);
  return { accepted: false, fault: 'unknown', credentialId: null };
}

/**
 * Decides whether a key opens an interface now. Decided again for each request: there is no memory of an earlier yes
 * (Authentication 3–6).
 * @param now milliseconds since 1970
 */
export function authenticate(rows: KeyRows, key: KeyText, face: Interface, now: number): Authentication {
  const credential = rows.credential(key.credentialId);
  const matches = secretMatches(key.secret, credential?.secretHash ?? noHash);
  if (credential === undefined) return { accepted: false, fault: 'unknown', credentialId: null };
  const refuse = (fault: AuthenticationFault): Authentication => ({
    accepted: false,
    fault,
    credentialId: credential.id,
  });
  if (!matches) return refuse('wrong_secret');
  if (credential.revokedAt !== null) return refuse('revoked');
  if (credential.expiresAt !== null && credential.expiresAt <= now) return refuse('expired');
  if (!credential.interfaces.includes(face)) return refuse('wrong_interface');
  const principal = rows.principal(credential.principalId);
  if (principal === undefined || principal.disabledAt !== null) return refuse('principal_disabled');
  return { accepted: true, credential, principal };
}
