import { auditRoutes } from '../resources/audit.js';
import { changeRoutes } from '../resources/changes.js';
import { claimRoutes } from '../resources/claims.js';
import { commentRoutes } from '../resources/comments.js';
import { connectorRoutes } from '../resources/connectors.js';
import { webhookRoutes } from '../resources/webhooks.js';
import { documentRoutes } from '../resources/documents.js';
import { fileRoutes } from '../resources/files.js';
import { textRoutes } from '../resources/texts.js';
import { folderDeletionRoutes, folderRoutes } from '../resources/folders.js';
import { grantRoutes } from '../resources/grants.js';
import { historyRoutes } from '../resources/history.js';
import { keyRoutes } from '../resources/keys.js';
import { labelRoutes } from '../resources/labels.js';
import { relocationRoutes } from '../resources/relocations.js';
import { revertRoutes } from '../resources/reverts.js';
import { searchRoutes } from '../resources/search.js';
import { placeBelow, type Route } from '../route.js';

/** In front of every path of this face. */
export const prefix = '/v1';

function placeAll(rows: readonly Route[]): Route[] {
  return rows.map((row) => placeBelow(prefix, row));
}

/**
 * Routes beyond the specification: a client can do without them. Every path below `/v1/documents/`, `/v1/files/` and
 * `/v1/texts/` is a document's.
 */
export const extensionRoutes: readonly Route[] = placeAll([
  ...fileRoutes,
  ...textRoutes,
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
