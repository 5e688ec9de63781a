import type { Erasure } from '../../domain/erasure.js';
import { nameOf, type Location } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import { applyErase } from '../../changes/apply-erase.js';
import { findErasable, type Erasable, type ErasableSought } from '../../erase/find-erasable.js';
import type { ReadOperation, WriteOperation } from '../operation.js';
import { recentUntil, requireRecentProof } from '../require-recent-proof.js';

export interface EraseDocumentInput {
  readonly location: Location;
  /** The document's name, typed once more, because an erase cannot be undone. */
  readonly confirmation: string;
  /** The document that was shown, live or deleted. No other document at the location ever takes its place. */
  readonly documentId: string;
}

export interface PreviewedErase extends Erasable {
  /** Until when a person in a browser may erase without signing in again. Milliseconds since 1970; null for not at all. */
  readonly recentUntil: number | null;
}

/**
 * The document that an erase would destroy, so that the caller can look at it first. Approver of the document.
 * @throws Refusal CONFLICT `several_deleted`; NOT_FOUND
 */
export const previewErase: ReadOperation<ErasableSought, PreviewedErase> = {
  kind: 'read',
  name: 'document.erase_preview',
  needs: ({ location }) => [{ role: 'approver', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run: ({ view, caller }, sought) => ({ ...findErasable(view, sought), recentUntil: recentUntil(caller, view.now) }),
  noteResult: ({ documentId }) => ({ documentId }),
};

/**
 * Hides a document for good, live or deleted. The eraser then destroys its content, history, comments, labels, claims
 * and name. On return, no caller can reach it. The receipt becomes final when no file holds a trace. The same request
 * again finds nothing at any later time, and destroys no other document at the location. Approver of the document; a
 * person in a browser signs in again first.
 * @throws Refusal INVALID_REQUEST `name_mismatch`; CONFLICT `sign_in_again`; NOT_FOUND
 */
export const eraseDocument: WriteOperation<EraseDocumentInput, Erasure> = {
  kind: 'write',
  name: 'document.erase',
  worksWhenLow: true,
  needs: ({ location }) => [{ role: 'approver', location, deleted: true }],
  note: ({ location }) => ({ target: location }),
  run(context, { location, confirmation, documentId }) {
    if (confirmation !== nameOf(location)) {
      throw invalidRequest('name_mismatch', "What was typed is not the document's name. Nothing was erased.", {
        field: 'confirmation',
      });
    }
    requireRecentProof(context.caller, context.transaction.now);
    return applyErase(context, { location, documentId });
  },
  noteResult: ({ id }) => ({ detail: { erasure: id } }),
};
