import type { Location } from './location.js';
import type { Author } from './principal.js';

/** The kinds of changes in the feed, by their names in every interface. */
export const changeKinds = [
  'created',
  'updated',
  'moved',
  'renamed',
  'deleted',
  'undeleted',
  'restored',
  'label_set',
  'comment_added',
  'comment_settled',
  'claimed',
  'claim_ended',
  'mirrored',
  'entered',
  'left',
] as const;

/**
 * What happened to a document.
 *
 * `entered`: the caller may read the document since then, by a grant or a move. `left`: the caller may not read it any
 * more, or it was erased. `mirrored`: a connector wrote a version. `restored`: an earlier content came back, by a
 * restore or a revert.
 */
export type ChangeKind = (typeof changeKinds)[number];

/** The document of a change, as the caller sees it now. */
export interface ChangedDocument {
  readonly id: string;
  /** Its present location. For `deleted` and `left`: the last one that the caller could see, null after an erase. */
  readonly location: Location | null;
  /** Its current version. Null for `deleted` and `left`. */
  readonly etag: string | null;
}

/** One item of the feed. A consumer may get it more than once, and knows it again by its id. */
export interface Change {
  /** Opaque, and the same each time that the same change is sent. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: ChangeKind;
  readonly document: ChangedDocument;
  /** Of `moved` and `renamed`: the place before, where the caller's present reach holds it. Null for others. */
  readonly from: Location | null;
  /** The version that the change made, if it is one of the document's. Null for other kinds. */
  readonly version: string | null;
  /** Null for `entered` and `left`. */
  readonly actor: Author | null;
  /** The writer's own message; null without one. */
  readonly message: string | null;
}
