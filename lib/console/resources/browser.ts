import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import { toAuthorRecord } from '../../records/author-record.js';
import { toDocumentRecord } from '../../records/document-record.js';
import { presentWrittenDocument } from '../../api/answers/written-document.js';
import { toFolderRecord } from '../../records/folder-record.js';
import { presentPage, readPage, sealPosition } from '../../api/resources/page-query.js';
import { jsonOf, type CheckedRequest } from '../../api/requests/checked-request.js';
import type { RequestOf } from '../../api/requests/described-request.js';
import { jsonPost, route, type Route } from '../../api/route.js';
import { formatTime } from '../../domain/clock.js';
import { formatEtag } from '../../domain/etag.js';
import { nameOf, parseFolderLocation, parseLocation, rootLocation, type Location } from '../../domain/location.js';
import { listTrash, type ListTrashInput, type Trashed } from '../../operations/documents/list-trash.js';
import { undeleteDocument, type UndeleteDocumentInput } from '../../operations/documents/undelete-document.js';
import {
  browseFolder,
  type BrowsedFolder,
  type BrowseFolderInput,
  type Entry,
} from '../../operations/folders/browse-folder.js';
import { sealOpened } from './opened-page.js';

/** Without a location: the places where the person can begin. */
function readBrowse(request: RequestOf<'browseFolder'>): BrowseFolderInput {
  const { location, sort } = request.query;
  const place = location === undefined ? null : parseFolderLocation(location);
  return { location: place, order: sort, isOfPage: true, ...readPage(request) };
}

/** The description's `Entry`. */
function presentEntry(entry: Entry): object {
  return entry.type === 'folder'
    ? { type: 'folder', role: entry.role ?? null, folder: toFolderRecord(entry.folder) }
    : { type: 'document', role: entry.role ?? null, document: toDocumentRecord(entry.document) };
}

const presentPlace = (location: Location): object => ({ location, name: nameOf(location) });

/** The description's `BrowsedFolder`. */
function presentBrowsed({ folder, role, trail, items, next }: BrowsedFolder, request: CheckedRequest): Answer {
  return answerJson(200, {
    folder: folder === null ? null : { ...toFolderRecord(folder), role: role ?? null },
    trail: trail.map(presentPlace),
    items: items.map(presentEntry),
    next_cursor: next === null ? null : sealPosition(next, request),
    page: sealOpened(request, folder?.location ?? rootLocation),
  });
}

function readTrash(request: RequestOf<'listTrash'>): ListTrashInput {
  const { location } = request.query;
  return { folder: location === undefined ? null : parseFolderLocation(location), ...readPage(request) };
}

/** The description's `Trashed`. */
function presentTrashed({ location, deletedAt, deletedBy, document, occupant, readOnly }: Trashed): object {
  return {
    type: document === null ? 'folder' : 'document',
    location,
    name: nameOf(location),
    deleted_at: formatTime(deletedAt),
    deleted_by: toAuthorRecord(deletedBy),
    document:
      document === null
        ? null
        : {
            id: document.id,
            kind: document.last.kind,
            media_type: document.last.mediaType,
            size: document.last.size,
            etag: formatEtag(document.last.id),
            may_erase: document.mayErase,
          },
    occupant,
    read_only: readOnly,
  };
}

function readUndelete(request: RequestOf<'undeleteFromTrash'>): UndeleteDocumentInput {
  const { location, document_id: documentId } = jsonOf(request);
  return { location: parseLocation(location), documentId };
}

/** What the browser and the trash need beyond REST: folders and documents in one list, and what can come back. */
export const browserRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/entries', operation: browseFolder, read: readBrowse, present: presentBrowsed }),
  route({ method: 'GET', path: '/trash', operation: listTrash, read: readTrash, present: presentPage(presentTrashed) }),
  route({
    ...jsonPost,
    path: '/trash/undeletes',
    operation: undeleteDocument,
    read: readUndelete,
    present: presentWrittenDocument,
  }),
];
