import type { Claim, PlacedClaim } from '../domain/claim.js';
import { formatTime } from '../domain/clock.js';
import { toAuthorRecord } from './author-record.js';

/** The description's `HeldClaim`. */
export function toClaimRecord({ id, section, holdsDocument, holder, purpose, claimedAt, expiresAt }: Claim) {
  return {
    id,
    section,
    // An answer kept for a retry by an earlier release lacks this field.
    holds_document: holdsDocument || section === null,
    holder: toAuthorRecord(holder),
    purpose,
    claimed_at: formatTime(claimedAt),
    expires_at: formatTime(expiresAt),
  };
}

/** The description's `PlacedClaim`. */
export function toPlacedClaimRecord(claim: PlacedClaim) {
  const { id, ...rest } = toClaimRecord(claim);
  return { id, location: claim.location, ...rest };
}

/** What stands for all claims in a document's record: the one on the whole document, or else the oldest. */
export function toStandingClaim(claims: readonly Claim[]) {
  const claim = claims.find(({ section }) => section === null) ?? claims[0];
  if (claim === undefined) return null;
  const { holder, section, expires_at } = toClaimRecord(claim);
  return { holder, section, expires_at };
}
