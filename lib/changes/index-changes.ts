import type { Document } from '../domain/document.js';
import type { WriteContext } from './write-context.js';
import type { IndexEvent } from '../indexing/index-event.js';

/** Lets the text index follow this turn's commit, once that is durable. */
export function noteSearch(context: WriteContext, commit: string, ...notes: readonly IndexEvent[]): void {
  if (notes.length > 0) context.transaction.whenDurable(() => context.search.follow(commit, notes));
}

/** The document's present version is what is to be found from now on. */
export function noteDocument({ number, location, current, labels }: Document): IndexEvent {
  const { blobOid, size, kind } = current;
  return { type: 'upsert', document: { number, location, blobOid, size, kind, labels } };
}
