import type { Erasure } from '../domain/erasure.js';
import { nameOf, type Location } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import { applyChange } from '../workspace/commit.js';
import type { WriteOperation } from './operation.js';

export interface EraseDocumentInput {
  readonly location: Location;
  /** The document's name, typed once more: an erase cannot be undone. */
  readonly confirmation: string;
  /** Only what was deleted there, though something may live there now. */
  readonly isDeleted?: boolean | undefined;
}

/**
 * Hides a document for good, live or deleted, and has it destroyed: content, history, comments, labels, claims and name.
 * It is gone for everyone when this returns; the receipt becomes final when nothing of it lies in a file any more.
 * Approver of the document.
 * @throws Refusal INVALID_REQUEST `name_mismatch`; NOT_FOUND
 */
export const eraseDocument: WriteOperation<EraseDocumentInput, Erasure> = {
  kind: 'write',
  name: 'document.erase',
  needs: ({ location }) => [{ role: 'approver', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run(pen, { location, confirmation, isDeleted = false }) {
    if (confirmation !== nameOf(location)) {
      throw invalidRequest('name_mismatch', "What was typed is not the document's name. Nothing was erased.", {
        field: 'confirmation',
      });
    }
    return applyChange(pen, { type: 'erase', location, isDeleted });
  },
  noteResult: ({ id }) => ({ detail: { erasure: id } }),
};
