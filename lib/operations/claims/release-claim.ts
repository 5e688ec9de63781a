import { claimsKeptFor } from '../../domain/claim.js';
import type { Location } from '../../domain/location.js';
import { hyphenate } from '../../text/outline.js';
import { notFound } from '../../domain/refusal.js';
import { toClaim } from '../../view/find-claims.js';
import { findDocument } from '../../view/locate.js';
import { documentIdOf, findOwnClaim, type ChangedClaim } from './find-own-claim.js';
import type { WriteOperation } from '../operation.js';

/**
 * Releases the caller's own claim, even one that has run out.
 * @throws Refusal NOT_FOUND as `findOwnClaim` does
 */
export const releaseClaim: WriteOperation<{ readonly claimId: string }, ChangedClaim> = {
  kind: 'write',
  name: 'claim.release',
  worksWhenLow: true,
  needs: () => [],
  note: ({ claimId }) => ({ target: claimId }),
  run(context, { claimId }) {
    const { tables, now } = context.transaction;
    const claim = findOwnClaim(context, claimId);
    if (claim.endedAt === null) tables.claims.end(claimId, now, context.author.id);
    return { claim: toClaim(claim), documentId: documentIdOf(context, claim), documentNumber: claim.document };
  },
  noteResult: ({ documentId }) => (documentId === null ? {} : { documentId }),
};

export interface ReleaseClaimAtInput {
  readonly location: Location;
  /** A heading's id or words; left out for a claim on the whole document. */
  readonly section?: string | undefined;
}

/**
 * Releases the caller's own claim at a place, even one that has ended. So a caller can send this again.
 * @throws Refusal NOT_FOUND when there is none, and was none as long as claims are kept
 */
export const releaseClaimAt: WriteOperation<ReleaseClaimAtInput, ChangedClaim> = {
  kind: 'write',
  name: releaseClaim.name,
  worksWhenLow: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run(context, { location, section }) {
    const { tables, now } = context.transaction;
    const found = findDocument(tables, location);
    if (found === undefined) throw notFound();
    const named = section === undefined ? [null] : [section, hyphenate(section.replace(/^#{1,6}\s+/, ''))];
    const own = named
      .map((each) => tables.claims.lastOf(found.row.number, context.caller.principalId, each, now - claimsKeptFor))
      .find((claim) => claim !== undefined);
    if (own === undefined) throw notFound();
    return releaseClaim.run(context, { claimId: own.id }, undefined);
  },
  noteResult: ({ claim, documentId }) => ({
    ...(documentId === null ? {} : { documentId }),
    detail: { claim: claim.id },
  }),
};
