import type { Author } from './principal.js';
import type { Location } from './checked-location.js';

/** A lease on a document, or on one section of it, while its holder works there. */
export interface Claim {
  readonly id: string;
  /** The heading's id; null for the whole document. */
  readonly section: string | null;
  /**
   * Whether it keeps others from the whole document. Either it is on the whole document, or its section cannot be
   * located: its heading is gone, or the text is too long to search while others wait.
   */
  readonly holdsDocument: boolean;
  readonly holder: Author;
  readonly purpose: string | null;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  readonly expiresAt: number;
}

/** A claim with the present location of its document. */
export interface PlacedClaim extends Claim {
  readonly location: Location;
}

/**
 * State of the caller's own claim. `active` binds others; `expired` ran out; `broken` was ended by an approver, or by one
 * who claimed the place while it was suspended; `suspended` binds no caller while its holder is no editor of the
 * document.
 */
export type ClaimStanding = 'active' | 'expired' | 'broken' | 'suspended';

export interface OwnClaim extends PlacedClaim {
  readonly standing: ClaimStanding;
}

/** Bounds of the seconds for which a claim lasts without renewal. */
export const minClaimTime = 60;
export const maxClaimTime = 24 * 60 * 60;
export const usualClaim = 30 * 60;
/** An ended claim is stored so long, for its holder to learn of it. Milliseconds. */
export const claimsKeptFor = 7 * 24 * 60 * 60 * 1000;
