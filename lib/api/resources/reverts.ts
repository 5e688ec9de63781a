import { formatTime, parseTime } from '../../domain/clock.js';
import { parseFolderLocation } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import { parseMessage } from '../../operations/documents/content.js';
import type { PreviewRevertInput } from '../../operations/history/plan-revert.js';
import {
  listRevert,
  revertChangesInShort,
  type ListRevertInput,
  type RevertChangesInput,
  type RevertPage,
  type ShortRevert,
} from '../../operations/history/revert-changes.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf, type CheckedRequest } from '../requests/checked-request.js';
import type { BodyOf, RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { readPage, sealPosition } from './page-query.js';

/** The common fields of preview and revert. */
type SentRevert = Pick<BodyOf<'revertChanges'>, 'location' | 'principal_id' | 'since'>;

/** @throws Refusal INVALID_REQUEST `bad_location`; `bad_field` for a time that is invalid or lies in the future */
function readWhat({ workspace }: CheckedRequest, sent: SentRevert): PreviewRevertInput {
  const since = parseTime(sent.since);
  if (since === undefined || since > workspace.clock.now()) {
    throw invalidRequest('bad_field', 'since must be a time that is over, such as 2026-01-31T12:00:00Z.', {
      field: 'since',
    });
  }
  return { location: parseFolderLocation(sent.location ?? ''), principalId: sent.principal_id, since };
}

/**
 * The revert to preview, from the query, and the page.
 * @throws Refusal INVALID_REQUEST as `readWhat`; `bad_cursor`
 */
function readPreview(request: RequestOf<'previewRevert'>): ListRevertInput {
  return { ...readWhat(request, request.query), ...readPage(request) };
}

/** The body RevertRequest. */
function readRevert(request: RequestOf<'revertChanges'>): RevertChangesInput {
  const sent = jsonOf(request);
  return { ...readWhat(request, sent), preview: sent.preview, message: parseMessage(sent.message) };
}

function presentItem(item: RevertPage['items'][number]): object {
  if ('reason' in item) {
    return { action: 'none', location: item.location, reason: item.reason, from_version: null, to_version: null };
  }
  return {
    action: item.action,
    location: item.location,
    reason: null,
    from_version: 'fromVersion' in item ? item.fromVersion : null,
    to_version: 'toVersion' in item ? item.toVersion : null,
  };
}

/** The description's `RevertPreview`. */
function presentRevertPreview({ items, digest, next }: RevertPage, request: CheckedRequest): Answer {
  return answerJson(200, {
    items: items.map(presentItem),
    preview: digest,
    next_cursor: next === null ? null : sealPosition(next, request),
  });
}

/** The description's `Revert`. */
function presentRevert(done: ShortRevert): Answer {
  const { location, principalId, since, documents, leftAlone, at, versionId } = done;
  return answerJson(200, {
    location,
    principal_id: principalId,
    since: formatTime(since),
    documents,
    left_alone: leftAlone,
    version_id: versionId,
    done_at: formatTime(at),
  });
}

/** All changes of a principal since a time, reverted at once. */
export const revertRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/reverts',
    operation: listRevert,
    read: readPreview,
    present: presentRevertPreview,
  }),
  route({
    ...jsonPost,
    path: '/reverts',
    operation: revertChangesInShort,
    read: readRevert,
    present: presentRevert,
  }),
];
