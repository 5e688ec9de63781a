import { createDocument } from '../operations/create-document.js';
import { deleteDocument } from '../operations/delete-document.js';
import { listDocuments } from '../operations/list-documents.js';
import { listFolders } from '../operations/list-folders.js';
import { readDocument } from '../operations/read-document.js';
import { updateDocument } from '../operations/update-document.js';
import { presentRead } from './present-content.js';
import {
  presentCreatedDocument,
  presentDeletion,
  presentDocument,
  presentWrittenDocument,
} from './present-document.js';
import { presentFolder } from './present-folder.js';
import {
  readCreateRequest,
  readDeleteRequest,
  readListRequest,
  readReadRequest,
  readUpdateRequest,
} from './read-document-request.js';
import { presentPage } from './read-page.js';
import { row, type Route } from './route.js';

/**
 * What can be asked over REST with a key. Each row is described in schema/openapi.yaml under its method and path, and
 * what the description has but this table has not is not there: NOT_FOUND.
 */
export const routes: readonly Route[] = [
  row({
    method: 'GET',
    path: '/v1/documents',
    operation: listDocuments,
    read: readListRequest,
    present: presentPage((document) => presentDocument(document)),
  }),
  row({
    method: 'POST',
    path: '/v1/documents',
    requires: 'Idempotency-Key',
    takes: ['json', 'raw'],
    operation: createDocument,
    read: readCreateRequest,
    present: presentCreatedDocument,
  }),
  row({
    method: 'GET',
    path: '/v1/documents/{location}',
    operation: readDocument,
    read: readReadRequest,
    present: presentRead,
  }),
  row({
    method: 'HEAD',
    path: '/v1/documents/{location}',
    operation: readDocument,
    read: readReadRequest,
    present: presentRead,
  }),
  row({
    method: 'PUT',
    path: '/v1/documents/{location}',
    requires: 'If-Match',
    takes: ['json', 'raw'],
    operation: updateDocument,
    read: readUpdateRequest,
    present: presentWrittenDocument,
  }),
  row({
    method: 'DELETE',
    path: '/v1/documents/{location}',
    requires: 'If-Match',
    operation: deleteDocument,
    read: readDeleteRequest,
    present: presentDeletion,
  }),
  row({
    method: 'GET',
    path: '/v1/folders',
    operation: listFolders,
    read: readListRequest,
    present: presentPage(presentFolder),
  }),
];
