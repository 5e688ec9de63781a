import type { Credential, Interface } from '../../domain/credential.js';
import { conflict, invalidRequest, notFound } from '../../domain/refusal.js';
import { formatKey, hashSecret, makeCredentialId, makeSecret } from '../../access/secret.js';
import { readPolicy } from '../../access/policy.js';
import type { StoredCredential } from '../../sidecar/tables/credential-table.js';
import { adminNeeds } from '../needs.js';
import { requireNoConnector } from '../principals/require-no-connector.js';
import type { ReadOperation, WriteOperation } from '../operation.js';
import { showCredential, type ShownCredential } from './list-tokens.js';
import { adminsOf, requireAdmin } from '../principals/set-principal-state.js';

export interface MintInput {
  readonly principalId: string;
  readonly name: string;
  readonly interfaces: readonly Interface[];
  /** Milliseconds since 1970; null never expires; left out takes the workspace's policy. */
  readonly expiresAt?: number | null | undefined;
  readonly requestsPerMinute: number | null;
}

/** A credential with its key's text. The text exists nowhere else and is shown this once. */
export interface MintedCredential {
  readonly credential: ShownCredential;
  /** Null in the answer to a retry: the text went with the first answer, and no copy is kept (decision 0178). */
  readonly secret: string | null;
}

/** Makes a key for a principal. Admin. */
export const mintCredential: WriteOperation<MintInput, MintedCredential> = {
  kind: 'write',
  name: 'credential.mint',
  needs: () => adminNeeds,
  note: ({ principalId, interfaces }) => ({ target: principalId, detail: { interfaces } }),
  run({ transaction, author, workspace }, input) {
    const principal = transaction.tables.principals.find(input.principalId);
    if (principal === undefined || principal.kind === 'operator') throw notFound();
    requireNoConnector(
      transaction.tables,
      { type: 'principal', id: principal.id },
      'It cannot sign in, and has no keys.',
    );
    if (principal.disabledAt !== null) {
      throw conflict('principal_disabled', 'The principal is disabled. Enable it before minting a key for it.');
    }
    if (typeof input.expiresAt === 'number' && input.expiresAt <= transaction.now) {
      throw invalidRequest('bad_field', 'The expiry must lie in the future.', { field: 'expires_at' });
    }
    const lifetime = readPolicy(transaction.tables).credentialLifetime;
    const secret = makeSecret(transaction.randomness);
    const credential: StoredCredential = {
      id: makeCredentialId(transaction.randomness),
      principalId: principal.id,
      name: input.name,
      interfaces: input.interfaces,
      secretHash: hashSecret(secret),
      lastFour: '',
      createdAt: transaction.now,
      createdBy: author.id,
      expiresAt:
        input.expiresAt === undefined ? (lifetime === null ? null : transaction.now + lifetime) : input.expiresAt,
      revokedAt: null,
      lastUsedAt: null,
      requestsPerMinute: input.requestsPerMinute,
    };
    const key = formatKey({ workspace, credentialId: credential.id, secret });
    const stored = { ...credential, lastFour: key.slice(-4) };
    transaction.tables.credentials.insert(stored);
    return { credential: showCredential(transaction.tables, workspace, stored), secret: key };
  },
  stored: {
    keep: ({ credential }) => credential.id,
    recall({ transaction, workspace }, kept) {
      const credential = transaction.tables.credentials.find(String(kept));
      if (credential === undefined) throw notFound();
      return { credential: showCredential(transaction.tables, workspace, credential), secret: null };
    },
  },
  noteResult: ({ credential }) => ({
    detail: { id: credential.id, interfaces: credential.interfaces, expires_at: credential.expiresAt },
  }),
};

/**
 * Ends a key, from the next request on. Revoking it again changes nothing. Admin.
 * @throws Refusal CONFLICT `last_approver` when no admin would have a way in; rotating the key is possible then
 */
export const revokeCredential: WriteOperation<{ readonly credentialId: string }, ShownCredential> = {
  kind: 'write',
  name: 'credential.revoke',
  worksWhenLow: true,
  needs: () => adminNeeds,
  note: ({ credentialId }) => ({ target: credentialId }),
  run(context, { credentialId }) {
    const { transaction } = context;
    const credential = transaction.tables.credentials.find(credentialId);
    if (credential === undefined) throw notFound();
    const before = adminsOf(context);
    const revokedAt = credential.revokedAt ?? transaction.now;
    transaction.tables.credentials.revoke(credentialId, revokedAt);
    requireAdmin(before, adminsOf(context));
    return showCredential(transaction.tables, context.workspace, { ...credential, revokedAt });
  },
};

/**
 * Replaces a key's secret and nothing else about it (Authentication 5). Admin.
 * @throws Refusal CONFLICT `credential_revoked`, `credential_expired`
 */
export const rotateCredential: WriteOperation<
  { readonly credentialId: string },
  MintedCredential & { readonly secret: string }
> = {
  kind: 'write',
  name: 'credential.rotate',
  needs: () => adminNeeds,
  note: ({ credentialId }) => ({ target: credentialId }),
  run({ transaction, workspace }, { credentialId }) {
    const credential = transaction.tables.credentials.find(credentialId);
    if (credential === undefined) throw notFound();
    if (credential.revokedAt !== null) {
      throw conflict('credential_revoked', 'The key is revoked for good. Mint a new one.');
    }
    if (credential.expiresAt !== null && credential.expiresAt <= transaction.now) {
      throw conflict('credential_expired', 'The key has expired, and a new secret would open nothing. Mint a new one.');
    }
    const secret = makeSecret(transaction.randomness);
    const key = formatKey({ workspace, credentialId, secret });
    transaction.tables.credentials.rotate(credentialId, hashSecret(secret), key.slice(-4));
    const rotated = { ...credential, lastFour: key.slice(-4) };
    return { credential: showCredential(transaction.tables, workspace, rotated), secret: key };
  },
};

/** All keys, or those of one principal; never a secret. Admin. */
export const listCredentials: ReadOperation<{ readonly principalId?: string | undefined }, readonly Credential[]> = {
  kind: 'read',
  name: 'credential.list',
  needs: () => adminNeeds,
  note: ({ principalId }) => (principalId === undefined ? {} : { target: principalId }),
  run: ({ view }, { principalId }) => view.tables.credentials.list(principalId),
};
