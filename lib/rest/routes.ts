import { createGrant, revokeGrant } from '../operations/grants/change-grant.js';
import { createDocument } from '../operations/documents/create-document.js';
import { createFolder } from '../operations/folders/create-folder.js';
import { deleteDocument } from '../operations/documents/delete-document.js';
import { exportFolder } from '../operations/folders/export-folder.js';
import { listDocuments } from '../operations/documents/list-documents.js';
import { listFolders } from '../operations/folders/list-folders.js';
import { listGrants } from '../operations/grants/list-grants.js';
import { readDocument } from '../operations/documents/read-document.js';
import { move, rename } from '../operations/folders/relocate.js';
import { searchDocuments } from '../operations/documents/search-documents.js';
import { undeleteDocument } from '../operations/documents/undelete-document.js';
import { updateDocument } from '../operations/documents/update-document.js';
import { extensionRoutes } from './extension-routes.js';
import { presentRead } from './present-content.js';
import {
  presentCreatedDocument,
  presentDeletion,
  presentDocument,
  presentWrittenDocument,
} from './present-document.js';
import { presentCreatedFolder, presentFolder } from './present-folder.js';
import { presentCreatedGrant, presentGrant, presentRevokedGrant } from './present-grant.js';
import { presentRelocation } from './present-relocation.js';
import {
  readCreateRequest,
  readDeleteRequest,
  readListRequest,
  readReadRequest,
  readUpdateRequest,
} from './read-document-request.js';
import { readCreateGrantRequest, readListGrantsRequest, readRevokeGrantRequest } from './read-grant-request.js';
import { readExportRequest, readLocationRequest, readMoveRequest, readRenameRequest } from './read-item-request.js';
import { presentPage } from './read-page.js';
import { presentSearch, readSearchRequest } from './read-search-request.js';
import { route, type Route } from './route.js';
import { presentExport } from './zip-export.js';

/**
 * What can be asked over REST with a key. Each route is described in schema/openapi.yaml under its method and path, and
 * what the description has but this table has not is not there: NOT_FOUND.
 */
export const routes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/documents',
    operation: listDocuments,
    read: readListRequest,
    present: presentPage((document) => presentDocument(document)),
  }),
  route({
    method: 'POST',
    path: '/v1/documents',
    requires: 'Idempotency-Key',
    takes: ['json', 'raw'],
    carriesContent: true,
    operation: createDocument,
    read: readCreateRequest,
    present: presentCreatedDocument,
  }),
  route({
    method: 'GET',
    path: '/v1/documents/{location}',
    operation: readDocument,
    read: readReadRequest,
    present: presentRead,
  }),
  route({
    method: 'HEAD',
    path: '/v1/documents/{location}',
    operation: readDocument,
    read: readReadRequest,
    present: presentRead,
  }),
  route({
    method: 'PUT',
    path: '/v1/documents/{location}',
    requires: 'If-Match',
    takes: ['json', 'raw'],
    carriesContent: true,
    operation: updateDocument,
    read: readUpdateRequest,
    present: presentWrittenDocument,
  }),
  route({
    method: 'DELETE',
    path: '/v1/documents/{location}',
    requires: 'If-Match',
    operation: deleteDocument,
    read: readDeleteRequest,
    present: presentDeletion,
  }),
  route({
    method: 'GET',
    path: '/v1/folders',
    operation: listFolders,
    read: readListRequest,
    present: presentPage(presentFolder),
  }),
  route({
    method: 'POST',
    path: '/v1/folders',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: createFolder,
    read: readLocationRequest,
    present: presentCreatedFolder,
  }),
  route({
    method: 'GET',
    path: '/v1/folders/export',
    operation: exportFolder,
    read: readExportRequest,
    present: presentExport,
  }),
  route({
    method: 'POST',
    path: '/v1/renames',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: rename,
    read: readRenameRequest,
    present: presentRelocation,
  }),
  route({
    method: 'POST',
    path: '/v1/moves',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: move,
    read: readMoveRequest,
    present: presentRelocation,
  }),
  route({
    method: 'POST',
    path: '/v1/undeletes',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: undeleteDocument,
    read: readLocationRequest,
    present: presentWrittenDocument,
  }),
  route({
    method: 'GET',
    path: '/v1/search',
    operation: searchDocuments,
    read: readSearchRequest,
    present: presentSearch,
  }),
  route({
    method: 'GET',
    path: '/v1/grants',
    operation: listGrants,
    read: readListGrantsRequest,
    present: presentPage(presentGrant),
  }),
  route({
    method: 'POST',
    path: '/v1/grants',
    requires: 'Idempotency-Key',
    takes: ['json'],
    operation: createGrant,
    read: readCreateGrantRequest,
    present: presentCreatedGrant,
  }),
  route({
    method: 'DELETE',
    path: '/v1/grants',
    operation: revokeGrant,
    read: readRevokeGrantRequest,
    present: presentRevokedGrant,
  }),
  ...extensionRoutes,
];
