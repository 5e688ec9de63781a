import type { PreparedContent } from '../../changes/prepare-content.js';
import type { Document } from '../../domain/document.js';
import { nameOf, requireNewLocation, type Location } from '../../domain/location.js';
import { applyCreate } from '../../changes/apply-create.js';
import { guessMediaType, prepareSource, requireVisibleLabels, type ContentSource } from './content.js';
import type { PrepareContext, WriteOperation } from '../operation.js';

export interface CreateDocumentInput {
  readonly location: Location;
  readonly content: ContentSource;
  readonly mediaType?: string | undefined;
  readonly labels: readonly string[];
  readonly message: string | null;
}

/**
 * Stores the content of a new document.
 * @throws Refusal INVALID_REQUEST `bad_location`, `bad_field`, and as `prepareSource` does
 */
export async function prepareDocument(
  context: PrepareContext,
  { location, content, labels, mediaType }: CreateDocumentInput,
): Promise<PreparedContent> {
  requireNewLocation(location);
  requireVisibleLabels(labels);
  return prepareSource(context, content, mediaType);
}

/** Makes a document and its first version. Editor at the location. */
export const createDocument: WriteOperation<CreateDocumentInput, Document, PreparedContent> = {
  kind: 'write',
  name: 'document.create',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: prepareDocument,
  run: (context, { location, mediaType, labels, message }, content) =>
    applyCreate(context, {
      location,
      content,
      mediaType: mediaType ?? guessMediaType(nameOf(location), content),
      labels,
      message,
    }),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
