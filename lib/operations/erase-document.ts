import type { Erasure } from '../domain/erasure.js';
import { nameOf, type Location } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import { applyChange } from '../workspace/commit.js';
import type { WriteOperation } from './operation.js';

export interface EraseDocumentInput {
  readonly location: Location;
  /** The document's name, typed once more: an erase cannot be undone. */
  readonly confirmation: string;
  /** What was deleted there is meant, whether or not something lives there now; else what lives there. */
  readonly isDeleted?: boolean | undefined;
  /** Id of the document that is meant, live or deleted; nothing else is ever taken for it. */
  readonly documentId?: string | undefined;
}

/**
 * Hides a document for good, live or deleted, and has it destroyed: content, history, comments, labels, claims and name.
 * It is gone for everyone when this returns; the receipt becomes final when nothing of it lies in a file any more.
 * The same request again finds nothing, and destroys no other document that was deleted there. Approver of the
 * document.
 * @throws Refusal INVALID_REQUEST `name_mismatch`; CONFLICT `several_deleted`; NOT_FOUND
 */
export const eraseDocument: WriteOperation<EraseDocumentInput, Erasure> = {
  kind: 'write',
  name: 'document.erase',
  needs: ({ location }) => [{ role: 'approver', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run(pen, { location, confirmation, isDeleted = false, documentId }) {
    if (confirmation !== nameOf(location)) {
      throw invalidRequest('name_mismatch', "What was typed is not the document's name. Nothing was erased.", {
        field: 'confirmation',
      });
    }
    return applyChange(pen, { type: 'erase', location, isDeleted, documentId });
  },
  noteResult: ({ id }) => ({ detail: { erasure: id } }),
};
