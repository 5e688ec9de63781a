import { claimsKeptFor } from '../../domain/claim.js';
import type { Location } from '../../domain/location.js';
import { hyphenate } from '../../text/outline.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import type { ClaimRow } from '../../sidecar/tables/claim-table.js';
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
    if (claim.endedAt === null) {
      tables.claims.end(claimId, now, context.author.id);
      tables.activities.add({ kind: 'claim_ended', document: claim.document, actor: context.author.id });
    }
    return { claim: toClaim(claim), documentId: documentIdOf(context, claim), documentNumber: claim.document };
  },
  noteResult: ({ documentId }) => (documentId === null ? {} : { documentId }),
};

/** Maximum of sections in a refusal. */
const maxNamed = 20;

export interface ReleaseClaimAtInput {
  readonly location: Location;
  /** A heading's id or words; left out for a claim on the whole document, or the only one there. */
  readonly section?: string | undefined;
}

/**
 * Releases the caller's own claim at a place, even one that has ended. So a caller can send this again.
 * @throws Refusal NOT_FOUND where the caller reads no document; INVALID_REQUEST `no_claim` when there is none, and was
 * none as long as claims are stored, and `section_ambiguous` when several sections are claimed and none is named
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
    const own = findNamed(
      tables.claims.ofHolderOn(found.row.number, context.caller.principalId, now - claimsKeptFor),
      section,
      now,
    );
    if (own === undefined) throw invalidRequest('no_claim', 'You have no claim there.');
    return releaseClaim.run(context, { claimId: own.id }, undefined);
  },
  noteResult: ({ claim, documentId }) => ({
    ...(documentId === null ? {} : { documentId }),
    detail: { claim: claim.id },
  }),
};

/**
 * The claim that its holder means.
 * @param own its claims on the document: those that were not ended, then the last ended ones
 * @throws Refusal INVALID_REQUEST `section_ambiguous`
 */
function findNamed(own: readonly ClaimRow[], section: string | undefined, now: number): ClaimRow | undefined {
  if (section !== undefined) {
    const id = hyphenate(section.replace(/^#{1,6}\s+/, ''));
    return own.find((claim) => claim.section === section) ?? own.find((claim) => claim.section === id);
  }
  const present = own.filter(({ endedAt, expiresAt }) => endedAt === null && expiresAt > now);
  const whole = present.find((claim) => claim.section === null);
  const [only] = present;
  if (whole !== undefined || only === undefined) return whole ?? own[0];
  // This may be the repetition of a release while there was a claim on the whole document too.
  const released = own.find(({ section: of, endedBy, holder }) => of === null && endedBy === holder.id);
  if (released !== undefined && (released.endedAt ?? 0) >= only.claimedAt) return released;
  if (present.length === 1) return only;
  const sections = present.flatMap((claim) => claim.section ?? []).slice(0, maxNamed);
  throw invalidRequest('section_ambiguous', 'You have claims on several sections there. Name one.', {
    field: 'section',
    sections,
  });
}
