import type { Document } from '../domain/document.js';
import { nameOf, type Location } from '../domain/location.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { descentAbove } from '../view/locate.js';
import { noteDocument, noteSearch } from './index-changes.js';
import { requirePlace } from './location-guards.js';
import { requirePortable } from './portable-names.js';
import type { PreparedContent } from './prepare-content.js';
import { recordEvent, type Decision } from './record-event.js';
import type { WriteContext } from './write-context.js';

export interface Create {
  readonly location: Location;
  readonly content: PreparedContent;
  readonly mediaType: string;
  readonly labels: readonly string[];
  readonly message: string | null;
}

/** @throws Refusal CONFLICT `name_taken`; INVALID_REQUEST `read_only_source`; NOT_FOUND */
function decideCreate(context: WriteContext, { location, content, mediaType, message }: Create): Decision {
  const steps = requirePlace(context, location);
  requirePortable(context, location, { steps });
  const event = { type: 'create', location, mediaType } as const;
  const known = { descent: descentAbove(location, steps) };
  return { event, files: [{ location, mediaType, content, prepared: content }], message, known };
}

/** Creates a document. @throws Refusal as `decideCreate`, and INVALID_REQUEST `storage_quota` */
export function applyCreate(context: WriteContext, change: Create): Document {
  const { tables, now } = context.transaction;
  const { labels, location } = change;
  const { versionId, written } = runAtOnce(recordEvent(context, decideCreate(context, change)));
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
