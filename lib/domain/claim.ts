import type { Author } from './document.js';

/** A lease on a document, or on one section of it, while its holder works there. */
export interface Claim {
  readonly id: string;
  /** The heading's id; null for the whole document. */
  readonly section: string | null;
  readonly holder: Author;
  readonly purpose: string | null;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  readonly expiresAt: number;
}
