import { auditRoutes } from '../api/resources/audit.js';
import { changeRoutes } from '../api/resources/changes.js';
import { claimRoutes } from '../api/resources/claims.js';
import { commentRoutes } from '../api/resources/comments.js';
import { connectorRoutes } from '../api/resources/connectors.js';
import { documentRoutes } from '../api/resources/documents.js';
import { fileRoutes } from '../api/resources/files.js';
import { textRoutes } from '../api/resources/texts.js';
import { folderDeletionRoutes, folderRoutes } from '../api/resources/folders.js';
import { grantRoutes } from '../api/resources/grants.js';
import { historyRoutes } from '../api/resources/history.js';
import { keyRoutes } from '../api/resources/keys.js';
import { labelRoutes } from '../api/resources/labels.js';
import { relocationRoutes } from '../api/resources/relocations.js';
import { revertRoutes } from '../api/resources/reverts.js';
import { searchRoutes } from '../api/resources/search.js';
import { webhookRoutes } from '../api/resources/webhooks.js';
import type { Route } from '../api/route.js';
import { applicationRoutes } from './resources/applications.js';
import { browserRoutes } from './resources/browser.js';
import { moveTargetRoutes } from './resources/move-targets.js';
import { sharingRoutes } from './resources/sharing.js';
import { annotationRoutes } from './resources/annotations.js';
import { groupRoutes } from './resources/groups.js';
import { keyNoticeRoutes } from './resources/key-notices.js';
import { principalRoutes } from './resources/principals.js';
import { tokenRoutes } from './resources/tokens.js';
import { recentChangeRoutes } from './resources/recent-changes.js';
import { messageRoutes } from './resources/message-box.js';
import { overviewRoutes } from './resources/overview.js';
import { erasureRoutes } from './resources/erasures.js';
import { liveRoutes } from './resources/live.js';
import { readerRoutes } from './resources/reader-page.js';

/** Rows that REST has too, with the same description. */
const sharedRoutes: readonly Route[] = [
  ...documentRoutes,
  ...folderRoutes,
  ...relocationRoutes,
  ...searchRoutes,
  ...grantRoutes,
  ...fileRoutes,
  ...textRoutes,
  ...historyRoutes,
  ...folderDeletionRoutes,
  ...revertRoutes,
  ...labelRoutes,
  ...claimRoutes,
  ...commentRoutes,
  ...changeRoutes,
  ...connectorRoutes,
  ...webhookRoutes,
  ...auditRoutes,
  ...keyRoutes,
];

/** Rows of the console alone, from `resources/`. */
const ownRoutes: readonly Route[] = [
  ...browserRoutes,
  ...sharingRoutes,
  ...moveTargetRoutes,
  ...annotationRoutes,
  ...principalRoutes,
  ...groupRoutes,
  ...tokenRoutes,
  ...keyNoticeRoutes,
  ...applicationRoutes,
  ...readerRoutes,
  ...liveRoutes,
  ...erasureRoutes,
  ...recentChangeRoutes,
  ...overviewRoutes,
  ...messageRoutes,
];

/** The rows below a workspace. Each is described in schema/console.yaml under its method and path. */
export const routes: readonly Route[] = [...sharedRoutes, ...ownRoutes];
