import type { Document } from '../domain/document.js';
import type { Pen } from './pen.js';
import type { SearchNote } from './search-keeper.js';

/** Lets the text index follow this turn's commit, once that is durable. */
export function noteSearch(pen: Pen, commit: string, ...notes: readonly SearchNote[]): void {
  if (notes.length > 0) pen.turn.whenDurable(() => pen.search.follow(commit, notes));
}

/** The document's present version is what is to be found from now on. */
export function noteDocument({ number, location, current, labels }: Document): SearchNote {
  const { blobOid, size, kind } = current;
  return { type: 'upsert', document: { number, location, blobOid, size, kind, labels } };
}
