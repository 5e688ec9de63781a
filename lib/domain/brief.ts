import type { OwnClaim, PlacedClaim } from './claim.js';
import type { AddressedComment } from './comment.js';
import type { Author } from './principal.js';
import type { Location } from './location.js';
import type { ListedMessage } from './message.js';
import type { Role } from './role.js';

/** A point in the order of all that happened. */
export interface Moment {
  /** Number of the last commit before it, counted from the first on main. */
  readonly moment: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Where a brief begins or ends. */
export interface BriefBound extends Moment {
  /** Number of the last comment that had been addressed to anybody. */
  readonly addressed: number;
}

/** The span of somebody's last brief. */
export interface BriefMark {
  readonly from: BriefBound;
  readonly until: BriefBound;
}

/** What has become of a document or folder since a moment, as of now. */
export interface BriefChange {
  readonly of: 'document' | 'folder';
  readonly action: 'created' | 'changed' | 'moved' | 'deleted' | 'restored';
  /** Where it lies now; for what was deleted, where it lay. */
  readonly location: Location;
  /** The current version; null for a folder and for what was deleted. */
  readonly versionId: string | null;
  /** How many versions it got in that time. */
  readonly versions: number;
  /** Who did it: the last few, the latest first. */
  readonly by: readonly Author[];
  /** Of the last thing that happened to it. */
  readonly at: number;
  /** Where it lay before it was last moved, if the one who asks reaches that place now; else null. */
  readonly from: Location | null;
}

/** One place that somebody was granted, with the role there. */
export interface ReachedPlace {
  readonly location: Location;
  readonly role: Role;
}

/** What the first page of a brief says beside the changes. */
export interface BriefSurroundings {
  /** Places granted, without those that lie in another one with no higher role; the first few by location. */
  readonly reach: readonly ReachedPlace[];
  /** The caller's claims in force, and those that it lost since. */
  readonly ownClaims: readonly OwnClaim[];
  /** Claims of others on documents to which the caller wrote lately. */
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
  /** Whether it begins where the last brief began, minutes ago, and tells again what that one told. */
  readonly isRepeat: boolean;
  /** What changed in the caller's reach, the last change first. */
  readonly changes: readonly BriefChange[];
  /** Comments that were addressed to the caller, those that were last first; more of them come with the next page. */
  readonly comments: readonly AddressedComment[];
  readonly hasMoreComments: boolean;
  /** Null on the pages after the first. */
  readonly surroundings: BriefSurroundings | null;
  /** What texts of others are, for those who read them: information. */
  readonly notice: string;
  /** From which a later brief can go on; of one length, to be sealed by the face. */
  readonly position: string;
  /** Where the next page goes on; of one length, to be sealed by the face; null at the end. */
  readonly next: string | null;
}
