import type { PlacedClaim } from '../domain/claim.js';
import { formatTime } from '../domain/clock.js';
import type { ChangedClaim } from '../operations/claims/find-own-claim.js';
import type { TakenClaim } from '../operations/claims/take-claim.js';
import { answerJson, type Answer } from './answer.js';
import { presentAuthor } from './present-document.js';

/** The description's `PlacedClaim`. */
export function presentPlacedClaim({
  id,
  location,
  section,
  holdsDocument,
  holder,
  purpose,
  claimedAt,
  expiresAt,
}: PlacedClaim): object {
  return {
    id,
    location,
    section,
    // An answer that an earlier release kept for a retry does not say it.
    holds_document: holdsDocument || section === null,
    holder: presentAuthor(holder),
    purpose,
    claimed_at: formatTime(claimedAt),
    expires_at: formatTime(expiresAt),
  };
}

/** 201 for a new claim, 200 for one that lasts longer now. */
export function presentTakenClaim({ claim, renewed }: TakenClaim): Answer {
  if (renewed) return answerJson(200, presentPlacedClaim(claim));
  const query = new URLSearchParams({ location: claim.location });
  return answerJson(201, presentPlacedClaim(claim), { Location: `/v1/claims?${query.toString()}` });
}

/** 200 with the id of the claim that was given up. */
export function presentReleasedClaim({ claim }: ChangedClaim): Answer {
  return answerJson(200, { released: true, id: claim.id });
}

/** 200 with the id of the claim that was ended, and whose it was. */
export function presentBrokenClaim({ claim }: ChangedClaim): Answer {
  return answerJson(200, { broken: true, id: claim.id, holder: presentAuthor(claim.holder) });
}
