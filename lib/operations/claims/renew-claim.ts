import { conflict, notFound } from '../../domain/refusal.js';
import { findClaims, toClaim } from '../../view/find-claims.js';
import { findDocumentById } from '../../view/locate.js';
import { documentIdOf, findOwnClaim, type ChangedClaim } from './find-own-claim.js';
import type { WriteOperation } from '../operation.js';
import { parseDuration } from './take-claim.js';

export interface RenewClaimInput {
  readonly claimId: string;
  readonly seconds?: number | undefined;
}

/**
 * Extends the caller's own claim, from now on.
 * @throws Refusal NOT_FOUND when the claim is not the caller's, or the caller is no longer editor of the document;
 * CONFLICT `claim_lost` when the claim has run out, was released or was broken
 */
export const renewClaim: WriteOperation<RenewClaimInput, ChangedClaim> = {
  kind: 'write',
  name: 'claim.renew',
  needs: () => [],
  note: ({ claimId }) => ({ target: claimId }),
  run(context, { claimId, seconds }) {
    const { tables, now } = context.transaction;
    const duration = parseDuration(seconds);
    const claim = findOwnClaim(context, claimId);
    const documentId = documentIdOf(context, claim);
    const found = documentId === null ? undefined : findDocumentById(tables, documentId);
    if (found === undefined) throw notFound();
    if (claim.endedAt !== null || claim.expiresAt <= now) {
      if (context.view.documentById(found.row.id) === undefined) throw notFound();
      throw conflict('claim_lost', 'This claim is not in force any more. Read again, then claim again.', {
        claimId,
      });
    }
    if (!findClaims(tables, found, now).some(({ id }) => id === claimId)) throw notFound();
    tables.claims.renew(claimId, now + duration, claim.purpose, claim.sectionDigest);
    return { claim: { ...toClaim(claim), expiresAt: now + duration }, documentId, documentNumber: claim.document };
  },
  noteResult: ({ documentId }) => (documentId === null ? {} : { documentId }),
};
