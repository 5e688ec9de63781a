import type { Document } from '../domain/document.js';
import type { Tables } from '../sidecar/sidecar.js';
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

/** In the sidecar's `meta`: set while no stored index is to be trusted, to something else each time. */
export const distrustedIndex = 'distrusted_index';

/** @returns '' where a stored index can be trusted */
export function readDistrust({ meta }: Tables): string {
  return meta.get(distrustedIndex) ?? '';
}

/**
 * The rows of documents were made anew: an index of them, though of the same commit, can know other numbers than they
 * have now, or none. It is built anew, at the next start if the process ends before that is done.
 */
export function distrustIndex({ transaction, search }: WriteContext): void {
  transaction.tables.meta.set(distrustedIndex, transaction.state.chain.hash);
  transaction.whenDurable(() => search.distrust());
}
