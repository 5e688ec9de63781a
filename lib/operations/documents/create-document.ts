import { noteDocument, noteSearch } from '../../changes/index-changes.js';
import { requirePlace } from '../../changes/location-guards.js';
import { requirePortable } from '../../changes/portable-names.js';
import type { PreparedContent } from '../../changes/prepare-content.js';
import { recordEvent, type Decision } from '../../changes/record-event.js';
import type { WriteContext } from '../../changes/write-context.js';
import type { Document } from '../../domain/document.js';
import { nameOf, requireNewLocation, type Location } from '../../domain/location.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { descentAbove } from '../../view/locate.js';
import type { PrepareContext, WriteOperation } from '../operation.js';
import { guessMediaType, prepareSource, requireVisibleLabels, type ContentSource } from './content.js';

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

/** @throws Refusal CONFLICT `name_taken`; INVALID_REQUEST `read_only_source`; NOT_FOUND */
function decideCreate(
  context: WriteContext,
  { location, message, ...input }: CreateDocumentInput,
  content: PreparedContent,
): Decision {
  const mediaType = input.mediaType ?? guessMediaType(nameOf(location), content);
  const steps = requirePlace(context, location);
  requirePortable(context, location, { steps });
  const event = { type: 'create', location, mediaType } as const;
  const known = { descent: descentAbove(location, steps) };
  return { event, files: [{ location, mediaType, content, prepared: content }], message, known };
}

/** @throws Refusal as `decideCreate`, and INVALID_REQUEST `storage_quota` */
function applyCreate(context: WriteContext, input: CreateDocumentInput, content: PreparedContent): Document {
  const { tables, now } = context.transaction;
  const { labels, location } = input;
  const { versionId, written } = runAtOnce(recordEvent(context, decideCreate(context, input, content)));
  const [made] = written;
  if (made?.folder === undefined) throw new Error('A create wrote no document.');
  for (const label of labels) tables.labels.add(made.document, label);
  const document: Document = {
    id: made.documentId,
    number: made.document,
    location,
    name: nameOf(location),
    createdAt: now,
    current: made.version,
    labels: labels.length === 0 ? [] : tables.labels.of(made.document),
    claims: [],
    readOnly: made.folder.mirror !== null,
  };
  noteSearch(context, versionId, noteDocument(document));
  return document;
}

/** Makes a document and its first version. Editor at the location. */
export const createDocument: WriteOperation<CreateDocumentInput, Document, PreparedContent> = {
  kind: 'write',
  name: 'document.create',
  needs: ({ location }) => [{ role: 'editor', location }],
  note: ({ location }) => ({ target: location }),
  prepare: prepareDocument,
  run: applyCreate,
  noteResult: (document) => ({ version: document.current.id, documentId: document.id }),
  documentNumber: (document) => document.number,
};
