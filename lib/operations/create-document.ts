import type { PreparedContent } from '../domain/change.js';
import type { Document } from '../domain/document.js';
import { nameOf, type Location } from '../domain/location.js';
import { applyChange } from '../workspace/commit.js';
import { guessMediaType, prepareSource, type ContentSource } from './content.js';
import type { WriteOperation } from './operation.js';

export interface CreateDocumentInput {
  readonly location: Location;
  readonly content: ContentSource;
  readonly mediaType?: string | undefined;
  readonly labels: readonly string[];
  readonly message: string | null;
}

/** Makes a document and its first version. Editor at the location. */
export const createDocument: WriteOperation<CreateDocumentInput, Document, PreparedContent> = {
  kind: 'write',
  name: 'document.create',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: (context, { content }) => prepareSource(context, content),
  run: (pen, { location, mediaType, labels, message }, content) =>
    applyChange(pen, {
      type: 'create',
      location,
      content,
      mediaType: mediaType ?? guessMediaType(nameOf(location), content.kind),
      labels,
      message,
    }),
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
