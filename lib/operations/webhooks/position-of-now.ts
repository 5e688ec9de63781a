import { isSecurityKind, type Webhook } from '../../domain/webhook.js';
import { endOfFeed } from '../../feed/feed-position.js';
import type { View } from '../../view/view.js';

/** Where a new webhook begins: with what comes from now on. */
export const positionOfNow = ({ tables }: Pick<View, 'tables'>, kinds: Webhook['kinds']): string =>
  kinds?.some(isSecurityKind) === true ? `audit ${tables.audit.head()?.seq ?? 0}` : endOfFeed({ tables });
