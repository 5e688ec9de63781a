import { claimRoutes } from './resources/claims.js';
import { commentRoutes } from './resources/comments.js';
import { documentRoutes } from './resources/documents.js';
import { folderDeletionRoutes, folderRoutes } from './resources/folders.js';
import { grantRoutes } from './resources/grants.js';
import { historyRoutes } from './resources/history.js';
import { labelRoutes } from './resources/labels.js';
import { relocationRoutes } from './resources/relocations.js';
import { revertRoutes } from './resources/reverts.js';
import { searchRoutes } from './resources/search.js';
import type { Route } from './route.js';

/**
 * What goes beyond the specification: a client can do without. None of these paths has a location in it, since every
 * path below `/v1/documents/` is a document's.
 */
export const extensionRoutes: readonly Route[] = [
  ...historyRoutes,
  ...folderDeletionRoutes,
  ...revertRoutes,
  ...labelRoutes,
  ...claimRoutes,
  ...commentRoutes,
];

/**
 * What can be asked over REST with a key. Each route is described in schema/openapi.yaml under its method and path. A
 * path of the description that this table lacks is NOT_FOUND.
 */
export const routes: readonly Route[] = [
  ...documentRoutes,
  ...folderRoutes,
  ...relocationRoutes,
  ...searchRoutes,
  ...grantRoutes,
  ...extensionRoutes,
];
