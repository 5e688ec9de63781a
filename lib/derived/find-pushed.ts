import type { Location } from '../domain/location.js';
import type { PushedDocument, PushResult } from '../domain/push.js';
import type { Tables } from '../sidecar/tables.js';

/** The name of the operation that records a push. */
const operation = 'repository.push';

/** What is stored of a push, for its repetition. */
interface KeptPush extends Pick<PushResult, 'commits'> {
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
  const answer = tables.idempotency.find(principalId, operation, head);
  if (answer === undefined || answer.result === '') return null;
  const { commits, documents } = JSON.parse(answer.result) as KeptPush;
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
