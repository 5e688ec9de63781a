import { formatTime } from '../domain/clock.js';
import type { RevertPage, ShortRevert } from '../operations/history/revert-changes.js';
import { answerJson, type Answer } from './answer.js';
import { sealPosition } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';

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
export function presentRevertPreview({ items, digest, next }: RevertPage, request: CheckedRequest): Answer {
  return answerJson(200, {
    items: items.map(presentItem),
    preview: digest,
    next_cursor: next === null ? null : sealPosition(next, request),
  });
}

/** The description's `Revert`. */
export function presentRevert(done: ShortRevert): Answer {
  const { location, principalId, since, documents, leftAlone, versionId } = done;
  return answerJson(200, {
    location,
    principal_id: principalId,
    since: formatTime(since),
    documents,
    left_alone: leftAlone,
    version_id: versionId,
  });
}
