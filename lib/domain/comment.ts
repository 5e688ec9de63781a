import type { Quote } from '../text/passage.js';
import type { Author } from './document.js';
import type { Location } from './location.js';

/** Where the thread's passage is in the text that was looked at: UTF-16 units from the start, lines from 1. */
export interface PlacedPassage {
  readonly start: number;
  /** Of the unit after the last. */
  readonly end: number;
  readonly line: number;
  readonly lastLine: number;
}

/**
 * What a thread is about. `document`: all of it. `passage`: a quoted passage that is in the present text. `orphaned`:
 * a passage that the present text has no longer; the quote is kept.
 */
export type CommentAnchor =
  | { readonly type: 'document' }
  | { readonly type: 'passage'; readonly quote: string; readonly place: PlacedPassage }
  | { readonly type: 'orphaned'; readonly quote: string };

/** A comment as stored. */
export interface Comment {
  readonly id: string;
  readonly threadId: string;
  /** Whether it is the one that started its thread. */
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

/** A comment that somebody is to see, with where its document lives now. */
export interface AddressedComment {
  readonly comment: Comment;
  readonly location: Location;
  readonly why: 'mention' | 'reply';
  /** When: as it was written, or by the edit that mentions them. */
  readonly addressedAt: number;
}

export const maxCommentLength = 8000;
export const maxQuoteLength = 1000;
export const maxMentions = 20;
