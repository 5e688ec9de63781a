import type { Interface } from '../../domain/credential.js';
import { conflict, notFound } from '../../domain/refusal.js';
import { adminNeeds } from '../needs.js';
import { requireNoConnector } from '../principals/require-no-connector.js';
import type { WriteOperation } from '../operation.js';
import { requireRecentProof } from '../require-recent-proof.js';
import { makeKey, noteMinted, replaceSecret, storedWithoutSecret, type MintedCredential } from './make-key.js';
import type { ShownCredential } from './list-credentials.js';
import { endKey } from './own-keys.js';

export interface MintInput {
  readonly principalId: string;
  readonly name: string;
  readonly interfaces: readonly Interface[];
  /** Milliseconds since 1970; null never expires; left out takes the workspace's policy. */
  readonly expiresAt?: number | null | undefined;
  readonly requestsPerMinute: number | null;
  /** The owner gets it with the link to sign in, so no notice is due. */
  readonly isKnown?: true | undefined;
}

/**
 * Makes a key for a principal. A person is notified of a key that another principal made. Admin; in a browser, after a
 * sign-in of the last minutes.
 * @throws Refusal CONFLICT `principal_disabled`, `sign_in_again`; INVALID_REQUEST `bad_field`; NOT_FOUND
 */
export const mintCredential: WriteOperation<MintInput, MintedCredential> = {
  kind: 'write',
  name: 'credential.mint',
  needs: () => adminNeeds,
  note: ({ principalId, interfaces }) => ({ target: principalId, detail: { interfaces } }),
  run(context, input) {
    const { transaction, author, caller } = context;
    const principal = transaction.tables.principals.find(input.principalId);
    if (principal === undefined || principal.kind === 'operator') throw notFound();
    requireRecentProof(caller, transaction.now);
    requireNoConnector(
      transaction.tables,
      { type: 'principal', id: principal.id },
      'It cannot sign in, and has no keys.',
    );
    if (principal.disabledAt !== null) {
      throw conflict('principal_disabled', 'The principal is disabled. Enable it before minting a key for it.');
    }
    return makeKey(context, { ...input, createdBy: author.id, madeWith: null });
  },
  stored: storedWithoutSecret,
  noteResult: ({ credential }) => noteMinted(credential),
};

/**
 * Ends a key with those that were made with it, from the next request on. Revoking it again changes nothing. Admin.
 * @throws Refusal CONFLICT `last_approver` when no admin would have a way in; rotating the key is possible then
 */
export const revokeCredential: WriteOperation<{ readonly credentialId: string }, ShownCredential> = {
  kind: 'write',
  name: 'credential.revoke',
  worksWhenLow: true,
  needs: () => adminNeeds,
  note: ({ credentialId }) => ({ target: credentialId }),
  run: (context, { credentialId }) => endKey(context, credentialId),
};

/**
 * Replaces a key's secret and nothing else about it (Authentication 5). The secret of a person's key goes to the person,
 * or to who made the key: nobody else comes to act as them so. Admin; in a browser, after a sign-in of the last minutes.
 * @throws Refusal CONFLICT `credential_revoked`, `credential_expired`, `key_of_another`, `sign_in_again`
 */
export const rotateCredential: WriteOperation<
  { readonly credentialId: string },
  MintedCredential & { readonly secret: string }
> = {
  kind: 'write',
  name: 'credential.rotate',
  needs: () => adminNeeds,
  note: ({ credentialId }) => ({ target: credentialId }),
  run(context, { credentialId }) {
    const { transaction, caller } = context;
    const { credentials, principals } = transaction.tables;
    const credential = credentials.find(credentialId);
    if (credential === undefined) throw notFound();
    requireRecentProof(caller, transaction.now);
    const isOfPerson = principals.find(credential.principalId)?.kind === 'person';
    if (isOfPerson && ![credential.principalId, credential.createdBy].includes(caller.principalId)) {
      throw conflict(
        'key_of_another',
        'A new secret of this key would let you act as its owner, unseen. Only they and who made it rotate it. Revoke it, if it may have leaked.',
      );
    }
    const rotated = replaceSecret(context, credential);
    if (isOfPerson && credential.principalId !== caller.principalId) credentials.tellAgain(credentialId);
    return rotated;
  },
};
