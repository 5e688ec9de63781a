import { formatKey, hashSecret, makeCredentialId, makeSecret } from '../../access/secret.js';
import type { WriteContext } from '../../changes/write-context.js';
import { isSelfMade, type Credential, type Interface } from '../../domain/credential.js';
import { conflict, invalidRequest, notFound } from '../../domain/refusal.js';
import type { StoredCredential } from '../../sidecar/tables/credential-table.js';
import type { AuditNote } from '../operation.js';
import { showCredential, type ShownCredential } from './list-credentials.js';

/** What is said of a new key. */
export interface NewKey extends Pick<Credential, 'principalId' | 'createdBy' | 'madeWith'> {
  readonly name: string;
  readonly interfaces: readonly Interface[];
  /** Milliseconds since 1970; null never expires; left out takes the workspace's policy. */
  readonly expiresAt?: number | null | undefined;
  readonly requestsPerMinute: number | null;
  /** The owner knows of it already, although another principal made it. */
  readonly isKnown?: boolean | undefined;
}

/** A credential with its key's text. The text exists nowhere else and is shown this once. */
export interface MintedCredential {
  readonly credential: ShownCredential;
  /** Null in the answer to a retry: the text went with the first answer, and no copy is stored (decision 0355). */
  readonly secret: string | null;
}

/** Makes a key, and its only text. Rights are the caller's matter. @throws Refusal INVALID_REQUEST `bad_field` */
export function makeKey(
  { transaction, workspace, policy }: WriteContext,
  { isKnown, ...key }: NewKey,
): MintedCredential {
  const { now, randomness, tables } = transaction;
  if (typeof key.expiresAt === 'number' && key.expiresAt <= now) {
    throw invalidRequest('bad_field', 'The expiry must lie in the future.', { field: 'expires_at' });
  }
  const lifetime = policy.credentialLifetime;
  const secret = makeSecret(randomness);
  const id = makeCredentialId(randomness);
  const text = formatKey({ workspace, credentialId: id, secret });
  const stored: StoredCredential = {
    ...key,
    id,
    secretHash: hashSecret(secret),
    lastFour: text.slice(-4),
    createdAt: now,
    expiresAt: key.expiresAt === undefined ? (lifetime === null ? null : now + lifetime) : key.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
    acknowledgedAt: isKnown === true ? now : null,
  };
  tables.credentials.insert(stored);
  return { credential: showCredential(tables, workspace, stored), secret: text };
}

/** Gives a key a new secret. @throws Refusal CONFLICT `credential_revoked`, `credential_expired` */
export function replaceSecret(
  { transaction, workspace }: WriteContext,
  credential: StoredCredential,
): MintedCredential & { readonly secret: string } {
  if (credential.revokedAt !== null) {
    throw conflict('credential_revoked', 'The key is revoked for good. Mint a new one.');
  }
  if (credential.expiresAt !== null && credential.expiresAt <= transaction.now) {
    throw conflict('credential_expired', 'The key has expired, and a new secret would open nothing. Mint a new one.');
  }
  const secret = makeSecret(transaction.randomness);
  const text = formatKey({ workspace, credentialId: credential.id, secret });
  const lastFour = text.slice(-4);
  transaction.tables.credentials.rotate(credential.id, hashSecret(secret), lastFour);
  return { credential: showCredential(transaction.tables, workspace, { ...credential, lastFour }), secret: text };
}

/** What a record says of a new key. Whoever follows the log sees keys that one made for another person. */
export function noteMinted({
  id,
  principalId,
  interfaces,
  expiresAt,
  mintedBy,
  owner,
  madeWith,
  ...key
}: ShownCredential): AuditNote {
  const isForOther = owner === 'person' && !isSelfMade({ principalId, ...key });
  const told = isForOther ? { detail: { for_another_person: true } } : undefined;
  const maker = madeWith === null ? undefined : { detail: { made_with: madeWith, made_by: mintedBy.id } };
  const what = { detail: { id, interfaces, expires_at: expiresAt } };
  return { target: principalId, detail: { ...what.detail, ...told?.detail, ...maker?.detail } };
}

/** What is stored for a retry: the key without its secret. */
export const storedWithoutSecret = {
  keep: ({ credential }: MintedCredential): unknown => credential.id,
  /** @throws Refusal NOT_FOUND */
  recall({ transaction, workspace }: WriteContext, kept: unknown): MintedCredential {
    const credential = transaction.tables.credentials.find(String(kept));
    if (credential === undefined) throw notFound();
    return { credential: showCredential(transaction.tables, workspace, credential), secret: null };
  },
};
