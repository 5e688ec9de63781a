import type { Change } from '../domain/change.js';
import type { Document } from '../domain/document.js';
import { parentOf } from '../domain/location.js';
import { descend, toDocument } from '../view/locate.js';
import { noteDocument, noteSearch } from './index-changes.js';
import { requireFree, requireNoFolderGrant, requireWritable } from './location-guards.js';
import { writeCommit, type WriteContext } from './write-context.js';
import { addContent, recordVersion } from './record-version.js';
import { placeOf } from '../history/folder-rows.js';
import { makeDocumentId } from '../history/document-id.js';

/** @throws Refusal CONFLICT `name_taken`; INVALID_REQUEST `storage_quota`, `read_only_source`; NOT_FOUND */
export function applyCreate(context: WriteContext, change: Extract<Change, { type: 'create' }>): Document {
  const { tables, now } = context.transaction;
  const { location, content } = change;
  requireFree(context, location);
  requireNoFolderGrant(context, location);
  requireWritable(descend(tables, parentOf(location)).folder.mirror);
  addContent(context, content);
  const versionId = writeCommit(context, [{ location, entry: { mode: '100644', oid: content.blobOid } }], {
    operation: 'create',
    subject: `Create ${location}`,
    message: change.message,
    trailers: [
      ['Location', location],
      ['Media-Type', change.mediaType],
    ],
  });
  const { folder, name } = placeOf(tables, location);
  const id = makeDocumentId(versionId, location);
  const number = tables.documents.insert(id, folder.row.number, name, now);
  for (const label of change.labels) tables.labels.add(number, label);
  recordVersion(context, {
    document: number,
    sequence: 1,
    id: versionId,
    content,
    mediaType: change.mediaType,
    location,
    operation: 'create',
    message: change.message,
  });
  const row = tables.documents.at(folder.row.number, name);
  if (row === undefined) throw new Error('The document that was just created is not there.');
  const document = toDocument(tables, { row, location, mirror: folder.mirror }, now);
  noteSearch(context, versionId, noteDocument(document));
  return document;
}
