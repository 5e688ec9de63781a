import { parseTime } from '../domain/clock.js';
import { parseFolderLocation } from '../domain/location.js';
import { invalidRequest } from '../domain/refusal.js';
import { parseMessage } from '../operations/documents/content.js';
import type { ListRevertInput, PreviewRevertInput, RevertChangesInput } from '../operations/history/revert-changes.js';
import { readPage } from './read-page.js';
import type { CheckedRequest } from './checked-request.js';

/** What preview and revert name alike; the description requires principal and time. */
interface SentRevert {
  readonly location?: string;
  readonly principal_id: string;
  readonly since: string;
}

/** @throws Refusal INVALID_REQUEST `bad_location`; `bad_field` for a time that is none or lies in the future */
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
 * What would be reverted, from the query, and the page.
 * @throws Refusal INVALID_REQUEST as `readWhat`; `bad_cursor`
 */
export function readRevertPreviewRequest(request: CheckedRequest): ListRevertInput {
  return { ...readWhat(request, request.query as unknown as SentRevert), ...readPage(request) };
}

/** The body RevertRequest. */
export function readRevertRequest(request: CheckedRequest): RevertChangesInput {
  const { body } = request;
  const none = { principal_id: '', since: '', preview: '' };
  const sent = (body.form === 'json' ? body.value : none) as SentRevert & {
    readonly preview: string;
    readonly message?: string;
  };
  return { ...readWhat(request, sent), preview: sent.preview, message: parseMessage(sent.message) };
}
