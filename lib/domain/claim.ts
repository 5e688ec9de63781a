import type { Author } from './principal.js';
import type { Location } from './checked-location.js';

/** A lease on a document, or on one section of it, while its holder works there. */
export interface Claim {
  readonly id: string;
  /** The heading's id; null for the whole document. */
  readonly section: string | null;
  /**
   * Whether it keeps others from the whole document: it is on all of it, or on a section that cannot be told from the
   * rest, since its heading is gone or the text is too long to be looked into while others wait.
   */
  readonly holdsDocument: boolean;
  readonly holder: Author;
  readonly purpose: string | null;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  readonly expiresAt: number;
}

/** A claim with where its document lives now. */
export interface PlacedClaim extends Claim {
  readonly location: Location;
}

/**
 * How one's own claim stands: `active` binds others; `expired` ran out; `broken` was ended by an approver; `suspended`
 * binds nobody while its holder is no editor of the document.
 */
export type ClaimStanding = 'active' | 'expired' | 'broken' | 'suspended';

export interface OwnClaim extends PlacedClaim {
  readonly standing: ClaimStanding;
}

/** Seconds that a claim may last without renewal. */
export const minClaimTime = 60;
export const maxClaimTime = 24 * 60 * 60;
export const usualClaim = 30 * 60;
/** How long a claim that ended is kept, so that its holder can learn of it. Milliseconds. */
export const claimsKeptFor = 7 * 24 * 60 * 60 * 1000;
