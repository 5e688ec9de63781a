import type { Document } from '../domain/document.js';
import type { WriteContext } from './write-context.js';
import type { WrittenVersion } from '../history/projection.js';
import { workInParts, type Steps } from '../scheduling/in-steps.js';
import type { IndexEvent } from '../indexing/index-event.js';

/** Updates the search index with this transaction's commit, once the commit is durable. */
export function noteSearch(context: WriteContext, commit: string, ...notes: readonly IndexEvent[]): void {
  noteAll(context, commit, notes);
}

/** The same for a list of any length. */
export function noteAll(context: WriteContext, commit: string, notes: readonly IndexEvent[]): void {
  if (notes.length > 0) context.transaction.whenDurable(() => context.search.follow(commit, notes));
}

/** From now on, searches find the document's present version. */
export function noteDocument({ number, location, current, labels }: Document): IndexEvent {
  const { blobOid, size, kind, mediaType } = current;
  return { type: 'upsert', document: { number, location, blobOid, size, kind, mediaType, labels } };
}

/** The same for many versions that one commit made. */
export function* noteWritten({ transaction }: WriteContext, written: readonly WrittenVersion[]): Steps<IndexEvent[]> {
  const events: IndexEvent[] = [];
  yield* workInParts(written, (some) => {
    const labels = transaction.tables.labels.ofThese(some.map(({ document }) => document));
    for (const { document: number, version } of some) {
      const { location, blobOid, size, kind, mediaType } = version;
      const document = { number, location, blobOid, size, kind, mediaType, labels: labels.get(number) ?? [] };
      events.push({ type: 'upsert', document });
    }
  });
  return events;
}
