import { formatTime } from '../domain/clock.js';
import type { StoredSession } from '../sidecar/tables/browser-session-table.js';

/** The description's `PersonSession`: a browser in which a person is signed in. */
export function toSessionRecord({ id, browser, address, method, startedAt, lastSeenAt }: StoredSession) {
  return {
    id,
    browser,
    address,
    method,
    started_at: formatTime(startedAt),
    last_seen_at: formatTime(lastSeenAt),
  };
}
