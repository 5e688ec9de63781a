import type { OwnClaim, PlacedClaim } from './claim.js';
import type { AddressedComment } from './comment.js';
import type { Author } from './principal.js';
import type { Location } from './location.js';
import type { ListedMessage } from './message.js';
import type { Role } from './role.js';

/** A point in the order of all events. */
export interface Moment {
  /** Number of the last commit before it, counted from the first on main. */
  readonly moment: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Where a brief begins or ends. */
export interface BriefBound extends Moment {
  /** Number of the last comment that had been addressed to a principal. */
  readonly addressed: number;
}

/** The span of a caller's last brief. */
export interface BriefMark {
  readonly from: BriefBound;
  readonly until: BriefBound;
}

/** The change of a document or folder since a moment, as of now. */
export interface BriefChange {
  readonly of: 'document' | 'folder';
  readonly action: 'created' | 'changed' | 'moved' | 'deleted' | 'restored';
  /** Its present location; for a deleted one, its last. */
  readonly location: Location;
  /** The current version; null for a folder and for a deleted document. */
  readonly versionId: string | null;
  /** Number of its new versions in that time. */
  readonly versions: number;
  /** For documents created together, a folder stands for them: how many of them. */
  readonly documents?: number;
  /** The authors: the last few, the latest first. */
  readonly by: readonly Author[];
  /** Time of its last event. */
  readonly at: number;
  /** The note of its last version, where that is its last event; null without one. */
  readonly note: string | null;
  /** Where it was at the moment, if that is another place and the caller reaches it now; else null. */
  readonly from: Location | null;
}

/** One place granted to the caller, with the role there. */
export interface ReachedPlace {
  readonly location: Location;
  readonly role: Role;
}

/** The content of a brief's first page beside the changes. */
export interface BriefSurroundings {
  /** Places granted, except places within another one with no higher role; the first few by location. */
  readonly reach: readonly ReachedPlace[];
  /** The caller's claims in force, and its claims lost since. */
  readonly ownClaims: readonly OwnClaim[];
  /** Claims of others on documents recently written by the caller. */
  readonly claimsOfOthers: readonly PlacedClaim[];
  /** Unread ones, the newest first. */
  readonly messages: readonly ListedMessage[];
  /** Whether there are more unread messages than these. */
  readonly hasMoreMessages: boolean;
}

/** A page of a brief. */
export interface Brief {
  readonly you: Author;
  readonly since: number;
  readonly until: number;
  /** Whether it begins where the last brief began, minutes ago, and repeats that one's content. */
  readonly isRepeat: boolean;
  /** Changes within the caller's reach, the last change first. */
  readonly changes: readonly BriefChange[];
  /** Comments addressed to the caller, the last first; the next page has more of them. */
  readonly comments: readonly AddressedComment[];
  readonly hasMoreComments: boolean;
  /** Null on the pages after the first. */
  readonly surroundings: BriefSurroundings | null;
  /** Says to readers of others' texts that these are information. */
  readonly notice: string;
  /** A later brief goes on from here; of one length, for the face to seal. */
  readonly position: string;
  /** Where the next page goes on; of one length, to be sealed by the face; null at the end. */
  readonly next: string | null;
}
