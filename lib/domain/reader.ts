import type { Author } from './principal.js';
import type { Location } from './location.js';
import type { Role } from './role.js';

/** A group as it may be shown: without id and name to those who are neither in it nor approver. */
export interface ShownGroup {
  readonly id: string | null;
  readonly displayName: string | null;
}

/** A grant by which somebody reads a place, and the groups through which it comes. */
export interface ReadingGrant {
  readonly role: Role;
  /** A folder, or the document itself. */
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  /** From the group that was granted it down to the one that the reader is in; empty for a grant to the reader itself. */
  readonly groups: readonly ShownGroup[];
}

/** Somebody who can read a place now. */
export interface Reader {
  readonly principal: Author;
  /** The highest that any of the grants gives. */
  readonly role: Role;
  /** Each way in which it is reached; never empty. */
  readonly via: readonly ReadingGrant[];
}
