import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { notFound } from '../../domain/refusal.js';
import { adminNeeds } from '../needs.js';
import { requireService } from '../require-service.js';
import type { ReadOperation, ServiceOperation } from '../operation.js';

export interface ListConsentsInput {
  readonly principalId?: string | undefined;
}

/** Consents in force or recently ended, with their applications and people. Admin. */
export const listConsents: ReadOperation<ListConsentsInput, readonly OAuthGrant[]> = {
  kind: 'read',
  name: 'consent.list',
  needs: () => adminNeeds,
  note: ({ principalId }) => (principalId === undefined ? {} : { target: principalId }),
  run({ workspace, view }, { principalId }) {
    const { oauth } = requireService(workspace);
    if (principalId !== undefined && view.tables.principals.find(principalId) === undefined) throw notFound();
    return oauth
      .listGrants()
      .filter(
        (grant) => grant.workspace === workspace.name && (principalId ?? grant.principalId) === grant.principalId,
      );
  },
};

/** Ends one consent, with every token of it, at the next request. Ending it again changes nothing. Admin. */
export const revokeConsent: ServiceOperation<{ readonly consentId: string }, OAuthGrant> = {
  kind: 'service',
  name: 'consent.revoke',
  needs: () => adminNeeds,
  note: ({ consentId }) => ({ target: consentId }),
  run({ oauth, now, workspace }, { consentId }) {
    const grant = oauth.findGrant(consentId);
    if (grant === undefined || grant.workspace !== workspace) throw notFound();
    oauth.revokeGrant(consentId, now);
    return { ...grant, revokedAt: grant.revokedAt ?? now };
  },
};

/** Ends every consent of a person in this workspace. @returns how many were in force. Admin. */
export const revokeConsents: ServiceOperation<{ readonly principalId: string }, number> = {
  kind: 'service',
  name: 'consent.revoke_all',
  needs: () => adminNeeds,
  note: ({ principalId }) => ({ target: principalId }),
  run({ oauth, now, workspace, view }, { principalId }) {
    if (view.tables.principals.find(principalId) === undefined) throw notFound();
    const own = oauth
      .listGrants()
      .filter(
        (grant) => grant.workspace === workspace && grant.principalId === principalId && grant.revokedAt === null,
      );
    for (const { id } of own) oauth.revokeGrant(id, now);
    return own.length;
  },
};
