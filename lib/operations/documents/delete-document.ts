import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import type { Deletion } from '../../changes/apply-delete.js';
import { applyDelete } from '../../changes/apply-delete.js';
import type { WriteOperation } from '../operation.js';

export interface DeleteDocumentInput {
  readonly location: Location;
  readonly precondition: Precondition;
  /** A claim that the writer relies on: refused when it is not in force any more. */
  readonly claimId?: string | undefined;
}

/** Hides a document, if it is still the one the writer knew; it can be brought back. Editor. */
export const deleteDocument: WriteOperation<DeleteDocumentInput, Deletion> = {
  kind: 'write',
  name: 'document.delete',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  run: (context, { location, precondition, claimId }) => applyDelete(context, { location, precondition, claimId }),
  noteResult: (deletion) => ({ version: deletion.versionId, documentId: deletion.documentId }),
};
