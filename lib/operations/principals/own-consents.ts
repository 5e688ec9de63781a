import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { notFound } from '../../domain/refusal.js';
import { requireService } from '../require-service.js';
import type { ReadOperation, ServiceOperation } from '../operation.js';
import { describeConsent } from './change-consent.js';

/** The applications that act for the caller in this workspace: consents in force, the newest first. */
export const listOwnConsents: ReadOperation<Record<string, never>, readonly OAuthGrant[]> = {
  kind: 'read',
  name: 'consent.list_own',
  needs: () => [],
  note: () => ({}),
  run({ workspace, caller }) {
    const { people } = requireService(workspace);
    const identity = people.identities.findOf(workspace.name, caller.principalId);
    if (identity === undefined) return [];
    return people.consents.listOf(identity.id).filter((consent) => consent.workspace === workspace.name);
  },
};

/**
 * Ends what an application may do for the caller, with all its tokens, from the next request on. Ending it again
 * changes nothing. A consent of another person looks like an unknown one.
 * @throws Refusal NOT_FOUND
 */
export const endOwnConsent: ServiceOperation<{ readonly consentId: string }, OAuthGrant> = {
  kind: 'service',
  name: 'consent.end',
  needs: () => [],
  note: ({ consentId }) => ({ target: consentId }),
  run({ oauth, now, workspace, caller }, { consentId }) {
    const consent = oauth.findGrant(consentId);
    if (consent?.workspace !== workspace || consent.principalId !== caller.principalId) throw notFound();
    oauth.revokeGrant(consentId, now);
    return { ...consent, revokedAt: consent.revokedAt ?? now };
  },
  noteResult: describeConsent,
};
