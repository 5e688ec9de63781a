import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { notFound } from '../../domain/refusal.js';
import type { OAuthTable } from '../../sidecar/tables/oauth-table.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation, WriteOperation } from '../operation.js';

/** The consents of the service, which an operation of one workspace is handed; it sees those of its own. */
interface OfConsents {
  readonly oauth: OAuthTable;
}

export interface ListConsentsInput extends OfConsents {
  readonly principalId?: string | undefined;
}

/** Which applications act as whom, also those that did until not long ago. Admin. */
export const listConsents: ReadOperation<ListConsentsInput, readonly OAuthGrant[]> = {
  kind: 'read',
  name: 'consent.list',
  needs: () => adminNeeds,
  note: ({ principalId }) => (principalId === undefined ? {} : { target: principalId }),
  run({ workspace, view }, { oauth, principalId }) {
    if (principalId !== undefined && view.tables.principals.find(principalId) === undefined) throw notFound();
    return oauth
      .listGrants()
      .filter(
        (grant) => grant.workspace === workspace.name && (principalId ?? grant.principalId) === grant.principalId,
      );
  },
};

/** Ends one consent, with every token of it, at the next request. Ending it again changes nothing. Admin. */
export const revokeConsent: WriteOperation<OfConsents & { readonly consentId: string }, OAuthGrant> = {
  kind: 'write',
  name: 'consent.revoke',
  needs: () => adminNeeds,
  note: ({ consentId }) => ({ target: consentId }),
  run({ transaction, workspace }, { oauth, consentId }) {
    const grant = oauth.findGrant(consentId);
    if (grant === undefined || grant.workspace !== workspace) throw notFound();
    oauth.revokeGrant(consentId, transaction.now);
    return { ...grant, revokedAt: grant.revokedAt ?? transaction.now };
  },
};

/** Ends every consent that a person gave in this workspace. @returns how many were in force. Admin. */
export const revokeConsents: WriteOperation<OfConsents & { readonly principalId: string }, number> = {
  kind: 'write',
  name: 'consent.revoke_all',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ transaction, workspace }, { oauth, principalId }) {
    if (transaction.tables.principals.find(principalId) === undefined) throw notFound();
    const own = oauth
      .listGrants()
      .filter(
        (grant) => grant.workspace === workspace && grant.principalId === principalId && grant.revokedAt === null,
      );
    for (const { id } of own) oauth.revokeGrant(id, transaction.now);
    return own.length;
  },
};
