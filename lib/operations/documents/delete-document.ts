import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import type { Deletion } from '../../changes/apply-delete.js';
import { applyDelete } from '../../changes/apply-delete.js';
import type { WriteOperation } from '../operation.js';

export interface DeleteDocumentInput {
  readonly location: Location;
  readonly precondition: Precondition;
  /** A claim on which the writer relies. Refused when the claim is no longer in force. */
  readonly claimId?: string | undefined;
  readonly message?: string | null;
}

/** Hides a document, if it is still the version known to the writer. It can be restored. Editor. */
export const deleteDocument: WriteOperation<DeleteDocumentInput, Deletion> = {
  kind: 'write',
  name: 'document.delete',
  worksWhenLow: true,
  needs: ({ location }) => [{ role: 'editor', location }],
  needsAgain: ({ location }) => [{ role: 'editor', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, input) => applyDelete(context, input),
  noteResult: (deletion) => ({ version: deletion.versionId, documentId: deletion.documentId }),
  documentNumber: (deletion) => deletion.documentNumber,
};
