import { auditRoutes } from '../api/resources/audit.js';
import { changeRoutes } from '../api/resources/changes.js';
import { claimRoutes } from '../api/resources/claims.js';
import { commentRoutes } from '../api/resources/comments.js';
import { connectorRoutes } from '../api/resources/connectors.js';
import { webhookRoutes } from '../api/resources/webhooks.js';
import { documentRoutes } from '../api/resources/documents.js';
import { fileRoutes } from '../api/resources/files.js';
import { folderDeletionRoutes, folderRoutes } from '../api/resources/folders.js';
import { grantRoutes } from '../api/resources/grants.js';
import { historyRoutes } from '../api/resources/history.js';
import { keyRoutes } from '../api/resources/keys.js';
import { labelRoutes } from '../api/resources/labels.js';
import { relocationRoutes } from '../api/resources/relocations.js';
import { revertRoutes } from '../api/resources/reverts.js';
import { searchRoutes } from '../api/resources/search.js';
import { placeBelow, type Route } from '../api/route.js';

/** In front of every path of this face. */
export const prefix = '/v1';

function placeAll(rows: readonly Route[]): Route[] {
  return rows.map((row) => placeBelow(prefix, row));
}

/**
 * Routes beyond the specification: a client can do without them. Every path below `/v1/documents/` and `/v1/files/` is
 * a document's.
 */
export const extensionRoutes: readonly Route[] = placeAll([
  ...fileRoutes,
  ...historyRoutes,
  ...folderDeletionRoutes,
  ...revertRoutes,
  ...labelRoutes,
  ...claimRoutes,
  ...commentRoutes,
  ...connectorRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...keyRoutes,
  ...changeRoutes,
]);

/**
 * The routes of REST with a key. Each is described in schema/openapi.yaml under its method and path. A described path
 * without a row here is NOT_FOUND.
 */
export const routes: readonly Route[] = [
  ...placeAll([...documentRoutes, ...folderRoutes, ...relocationRoutes, ...searchRoutes, ...grantRoutes]),
  ...extensionRoutes,
];
