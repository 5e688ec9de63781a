import type { PreparedVersion } from '../../changes/read-sections.js';
import type { Document } from '../../domain/document.js';
import type { Precondition } from '../../domain/etag.js';
import type { Location } from '../../domain/location.js';
import type { OriginalAuthor } from '../../domain/original-author.js';
import { applyUpdate } from '../../changes/apply-update.js';
import { prepareVersion, type ContentSource } from './content.js';
import type { WriteOperation } from '../operation.js';

export interface UpdateDocumentInput {
  readonly location: Location;
  readonly precondition: Precondition;
  readonly content: ContentSource;
  readonly mediaType?: string | undefined;
  /** Whether the content was written as characters, and so is UTF-8. */
  readonly isUtf8?: boolean | undefined;
  readonly message: string | null;
  /** Who wrote it, according to the source of an import. No face but the operator's command sets it. */
  readonly originalAuthor?: OriginalAuthor | undefined;
  /** A claim on which the writer relies. Refused when the claim is no longer in force. */
  readonly claimId?: string | undefined;
}

/** Adds a version, if the document is still the one known to the writer. Editor. */
export const updateDocument: WriteOperation<UpdateDocumentInput, Document, PreparedVersion> = {
  kind: 'write',
  name: 'document.update',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: (context, { location, content, mediaType }) => prepareVersion(context, location, content, mediaType),
  run: (context, { location, precondition, mediaType, isUtf8, message, originalAuthor, claimId }, content) =>
    applyUpdate(context, { location, precondition, content, mediaType, isUtf8, message, originalAuthor, claimId }),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
