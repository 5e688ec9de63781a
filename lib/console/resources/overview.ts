import { answerJson, type Answer } from '../../api/answers/api-answer.js';
import { route, type Route } from '../../api/route.js';
import { formatTime, formatTimeOrNull } from '../../domain/clock.js';
import type { Activity } from '../../operations/workspaces/count-activity.js';
import { readOverview, type Overview } from '../../operations/workspaces/read-overview.js';

const presentActivity = ({ from, ...counts }: Activity): object => ({ from: formatTime(from), ...counts });

/** The description's `Overview`. */
function presentOverview(found: Overview): Answer {
  const { repository, audit } = found;
  return answerJson(200, {
    at: formatTime(found.at),
    journal_well: found.isJournalWell,
    disk_low: found.isDiskLow,
    storage: found.storage,
    repository: {
      objects: repository.objects,
      bytes: repository.bytes,
      failing_since: formatTimeOrNull(repository.failingSince),
    },
    search: found.search,
    connectors: found.connectors,
    webhooks: found.webhooks,
    erases: found.erases,
    audit: {
      seq: audit.seq,
      checkpoint: audit.checkpoint && { seq: audit.checkpoint.seq, at: formatTime(audit.checkpoint.at) },
    },
    backed_up_at: formatTimeOrNull(found.backedUpAt),
    hours: found.hours.map(presentActivity),
    days: found.days.map(presentActivity),
  });
}

/** The state of the workspace, for its admins. */
export const overviewRoutes: readonly Route[] = [
  route({ method: 'GET', path: '/overview', operation: readOverview, read: () => undefined, present: presentOverview }),
];
