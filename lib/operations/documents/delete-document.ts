import { knownRow, requireChangeable, requireCurrent } from '../../changes/document-guards.js';
import { noteSearch } from '../../changes/index-changes.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import { requireHeld } from '../../changes/require-unclaimed.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import type { FoundDocument } from '../../view/locate.js';
import type { WriteOperation } from '../operation.js';

export interface DeleteDocumentInput {
  readonly location: Location;
  readonly precondition: Precondition;
  /** A claim on which the writer relies. Refused when the claim is no longer in force. */
  readonly claimId?: string | undefined;
  /** The writer's own words, for the history. */
  readonly message?: string | null;
}

/** The result of a deletion. */
export interface Deletion {
  readonly documentId: string;
  /** Its number in the workspace's file. */
  readonly documentNumber: number;
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  /** The commit that deleted it. */
  readonly versionId: string;
}

/** @throws Refusal as an update does */
function decideDelete(
  context: WriteContext,
  { location, precondition, claimId, message = null }: DeleteDocumentInput,
): Decision {
  const found = requireCurrent(context, location, precondition);
  requireHeld(context, found, claimId);
  requireChangeable(context, found);
  return { ...deletionOf(found), message };
}

/** The decision to delete a live document, after all checks. */
export function deletionOf(found: FoundDocument): Decision {
  const event = { type: 'delete', documentId: found.row.id, location: found.location } as const;
  return { event, files: [], message: null, known: knownRow(found) };
}

/** Writes the deletion of a document, and updates the search index. */
export function recordDeletion(context: WriteContext, decision: Decision): Deletion {
  const { event } = decision;
  if (event.type !== 'delete') throw new Error(`A ${event.type} is no delete.`);
  const { documentId, location } = event;
  const documentNumber = decision.known?.live?.get(documentId)?.number;
  if (documentNumber === undefined) throw new Error('A deletion was decided without the row of its document.');
  const { versionId } = runAtOnce(recordEvent(context, decision));
  noteSearch(context, versionId, { type: 'remove', location });
  return { documentId, documentNumber, location, deletedAt: context.transaction.now, versionId };
}

/**
 * Hides a document, if it is still the version known to the writer. Everything about it stays and can be restored.
 * Editor.
 * @throws Refusal as `decideDelete`
 */
export const deleteDocument: WriteOperation<DeleteDocumentInput, Deletion> = {
  kind: 'write',
  name: 'document.delete',
  worksWhenLow: true,
  needs: ({ location }) => [{ role: 'editor', location }],
  needsAgain: ({ location }) => [{ role: 'editor', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, input) => recordDeletion(context, decideDelete(context, input)),
  noteResult: (deletion) => ({ version: deletion.versionId, documentId: deletion.documentId }),
  documentNumber: (deletion) => deletion.documentNumber,
};
