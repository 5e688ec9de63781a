import type { Location } from '../domain/location.js';
import type { FeedPosition } from './feed-position.js';
import type { ClassifiedEvent } from './classify-event.js';

/** A change for the caller, before its document's present state is added. */
export interface FoundChange extends ClassifiedEvent {
  readonly id: string;
  readonly documentId: string;
  /** Number of the document; null for an erased one. */
  readonly document: number | null;
  /** The consumer's place just before it. */
  readonly within: Location;
  /** Just before it: nothing that came earlier is sent from there. */
  readonly before: FeedPosition;
  /** Behind it. */
  readonly position: FeedPosition;
}

/** What a step found, and where to go on. */
export interface FeedStep {
  readonly found: FoundChange[];
  readonly position: FeedPosition;
  /** Whether there is nothing more. */
  readonly isCurrent: boolean;
}
