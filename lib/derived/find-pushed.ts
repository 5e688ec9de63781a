import type { Location } from '../domain/location.js';
import type { PushedDocument, PushResult } from '../changes/push.js';
import type { Tables } from '../sidecar/tables.js';

/** The name of the operation that records a push. Its stored answer is found by it. */
export const pushOperation = 'repository.push';

/** What is stored of a push, for its repetition. It names no place, because what is erased has to go. */
export interface KeptPush extends Pick<PushResult, 'commits'> {
  readonly documents: readonly Pick<PushedDocument, 'documentId' | 'sequence'>[];
}

/** A document that a push touched. */
export interface TouchedDocument extends PushedDocument {
  /** Every place that it had before, during or after the push. */
  readonly places: ReadonlySet<Location>;
}

/**
 * What a push did to documents, by its stored answer.
 * @returns null when it was not recorded, or when an erase took something of it away
 */
export function findPushed(tables: Tables, principalId: string, head: string): readonly TouchedDocument[] | null {
  const answer = tables.idempotency.find(principalId, pushOperation, head);
  if (answer === undefined || answer.result === '') return null;
  return recallPushed(tables, JSON.parse(answer.result) as KeptPush);
}

/**
 * The documents of a stored push, with the places that they had by it.
 * @returns null when an erase took something of it away
 */
export function recallPushed(tables: Tables, { commits, documents }: KeptPush): readonly TouchedDocument[] | null {
  const ids = documents.map(({ documentId }) => documentId);
  const places = tables.history.placesAfter(
    ids,
    commits.flatMap(({ versionId }) => versionId ?? []),
  );
  const found: TouchedDocument[] = [];
  for (const { documentId, sequence } of documents) {
    const had = places.get(documentId);
    if (had === undefined) return null;
    found.push({ documentId, location: had.location, sequence, places: had.all });
  }
  return found;
}
