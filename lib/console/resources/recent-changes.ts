import type { RequestOf } from '../../api/requests/described-request.js';
import { toAuthorRecord } from '../../records/author-record.js';
import { presentPage, readPage } from '../../api/resources/page-query.js';
import { route, type Route } from '../../api/route.js';
import { formatTime, parseTime } from '../../domain/clock.js';
import { parseFolderLocation } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import {
  listRecentChanges,
  type ListRecentChangesInput,
  type RecentChange,
} from '../../operations/history/list-recent-changes.js';

/** @throws Refusal INVALID_REQUEST `bad_location`, `bad_field` */
function readRecent(request: RequestOf<'listRecentChanges'>): ListRecentChangesInput {
  const { location, action, since } = request.query;
  const at = parseTime(since);
  if (at === undefined) {
    throw invalidRequest('bad_field', 'since must be a time such as 2026-01-31T12:00:00Z.', { field: 'since' });
  }
  return {
    location: parseFolderLocation(location ?? ''),
    action: action ?? null,
    since: at,
    ...readPage(request),
  };
}

/** The description's `RecentChange`. */
function presentRecent(change: RecentChange): object {
  const { of, action, location, versionId, versions, documents = null, by, at, note, from, mayRevert } = change;
  return {
    type: of,
    action,
    location,
    version: versionId,
    versions,
    documents,
    by: by.map(toAuthorRecord),
    at: formatTime(at),
    message: note,
    from,
    may_revert: mayRevert,
  };
}

/** What changed lately, for a page of the console. */
export const recentChangeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/recent-changes',
    operation: listRecentChanges,
    read: readRecent,
    present: presentPage(presentRecent),
  }),
];
