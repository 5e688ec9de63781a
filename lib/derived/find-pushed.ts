import type { PushedDocument, PushResult } from '../domain/push.js';
import type { Tables } from '../sidecar/tables.js';

/** The name of the operation that records a push. */
const operation = 'repository.push';

/** What is stored of a push, for its repetition. */
interface KeptPush extends Pick<PushResult, 'commits'> {
  readonly documents: readonly Pick<PushedDocument, 'documentId' | 'sequence'>[];
}

/**
 * What a push did to documents, by its stored answer.
 * @returns null when it was not recorded, or when an erase took something of it away
 */
export function findPushed(tables: Tables, principalId: string, head: string): readonly PushedDocument[] | null {
  const answer = tables.idempotency.find(principalId, operation, head);
  if (answer === undefined || answer.result === '') return null;
  const { commits, documents } = JSON.parse(answer.result) as KeptPush;
  const ids = documents.map(({ documentId }) => documentId);
  const places = tables.history.placesAfter(
    ids,
    commits.flatMap(({ versionId }) => versionId ?? []),
  );
  const found: PushedDocument[] = [];
  for (const { documentId, sequence } of documents) {
    const location = places.get(documentId);
    if (location === undefined) return null;
    found.push({ documentId, location, sequence });
  }
  return found;
}
