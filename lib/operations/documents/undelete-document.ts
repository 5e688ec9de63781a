import type { Document } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { applyUndelete } from '../../changes/apply-undelete.js';
import type { WriteOperation } from '../operation.js';

export interface UndeleteDocumentInput {
  readonly location: Location;
  /** Which of the documents deleted there; the last one when left out. */
  readonly documentId?: string | undefined;
}

/** Undoes a deletion at a location in the caller's reach. Editor there, or of the deleted document itself. */
export const undeleteDocument: WriteOperation<UndeleteDocumentInput, Document> = {
  kind: 'write',
  name: 'document.undelete',
  needs: ({ location }) => [{ role: 'editor', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run: (context, { location, documentId }) => applyUndelete(context, location, documentId),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
