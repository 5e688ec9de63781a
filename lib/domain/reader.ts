import type { Author } from './principal.js';
import type { Location } from './location.js';
import type { Role } from './role.js';

/** A group as it may be shown: only its members and approvers see its id and name. */
export interface ShownGroup {
  readonly id: string | null;
  readonly displayName: string | null;
}

/** A grant by which a principal reads a place, with the groups in between. */
export interface ReadingGrant {
  readonly role: Role;
  /** A folder, or the document itself. */
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  /** From the granted group down to the reader's own; empty for a grant to the reader itself. */
  readonly groups: readonly ShownGroup[];
}

/** A principal that can read a place now. */
export interface Reader {
  readonly principal: Author;
  /** The highest role of all the grants. */
  readonly role: Role;
  /** All ways to it; never empty. */
  readonly via: readonly ReadingGrant[];
}
