import type { Author } from './principal.js';
import type { Location } from './location.js';

/** A quoted passage and its surroundings; they locate it after the text has changed. */
export interface Quote {
  readonly text: string;
  /** Up to 64 UTF-16 units right before the passage, and right after it. */
  readonly before: string;
  readonly after: string;
  /** The position of the passage in the text, in UTF-16 units. */
  readonly start: number;
}

/** Place of the thread's passage in the searched text: UTF-16 units from the start, lines from 1. */
export interface PlacedPassage {
  readonly start: number;
  /** Of the unit after the last. */
  readonly end: number;
  readonly line: number;
  readonly lastLine: number;
}

/**
 * The subject of a thread. `document`: all of it. `passage`: a quoted passage of the present text. `orphaned`: a
 * passage that the present text has lost; the quote is stored.
 */
export type CommentAnchor =
  | { readonly type: 'document' }
  | { readonly type: 'passage'; readonly quote: string; readonly place: PlacedPassage }
  | { readonly type: 'orphaned'; readonly quote: string };

/** A comment as stored. */
export interface Comment {
  readonly id: string;
  readonly threadId: string;
  /** Whether it started its thread. */
  readonly isFirst: boolean;
  readonly author: Author;
  /** Empty when it was deleted. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly editedAt: number | null;
  readonly deletedAt: number | null;
  /** Ids of the principals it mentions. */
  readonly mentions: readonly string[];
}

export interface Thread {
  readonly id: string;
  /** null for the document as a whole. */
  readonly quote: Quote | null;
  readonly resolved: { readonly at: number; readonly by: string } | null;
}

/** A comment in its thread, as a list shows it. */
export interface ListedComment {
  readonly comment: Comment;
  readonly anchor: CommentAnchor;
  readonly resolved: Thread['resolved'];
}

/** A comment for a principal to see, with the present location of its document. */
export interface AddressedComment {
  readonly comment: Comment;
  readonly location: Location;
  readonly why: 'mention' | 'reply';
  /** The quoted passage that its thread is about; null for the document as a whole. */
  readonly quote: string | null;
  readonly isResolved: boolean;
  /** Time of its writing, or of the edit that mentions the principal. */
  readonly addressedAt: number;
}

export const maxCommentLength = 8000;
export const maxQuoteLength = 1000;
export const maxMentions = 20;
