import { hintFor, reasonOfCode } from '../domain/reason.js';
import type { Refusal } from '../domain/refusal.js';

interface ShownByRest {
  readonly id: string;
  readonly kind: string;
  readonly display_name: string;
}

/** Details that are shown under their own name. */
const passed = [
  'field',
  'expires_at',
  'section',
  'sections',
  'claim_id',
  'location',
  'edit_index',
  'lines',
  'nearest',
  'limit',
  'size',
  'bytes',
  'bytes_before',
  'diff',
  'diff_truncated',
  'edits_still_apply',
] as const;

function presentWho(value: unknown): object {
  const { id, kind, display_name } = value as ShownByRest;
  return { id, kind: kind === 'operator' ? 'person' : kind, name: display_name };
}

/** Where the same edits would do, and what changed in between is shown whole. */
const sendAgain =
  'Nothing was written. If diff does not contradict your edits, send them again with expected_commit set to current_commit; otherwise read it again first.';

/** What REST calls otherwise than these tools do. */
const namedHere: ReadonlyMap<unknown, string> = new Map([
  ['q', 'query'],
  ['message', 'note'],
  ['purpose', 'note'],
  ['labels', 'label'],
]);

function chooseHint(details: NonNullable<Refusal['details']>): string {
  const { reason, edits_still_apply, diff, diff_truncated } = details;
  return edits_still_apply === true && diff !== undefined && diff_truncated === false ? sendAgain : hintFor(reason);
}

/**
 * What a refused tool says: REST's code and reason, and what to do about it. Hidden, absent and not allowed give the
 * same bytes, since the refusal itself does not tell them apart.
 */
export function presentRefusal(refusal: Refusal, requestId: string): object {
  const { code, message, details = { reason: reasonOfCode(code) }, retryAfter } = refusal;
  const { reason, current_etag, updated_at, updated_by, holder } = details;
  const shown: Record<string, unknown> = { code, reason, message, hint: chooseHint(details) };
  shown['request_id'] = requestId;
  if (retryAfter !== undefined) shown['retry_after_s'] = retryAfter;
  if (typeof current_etag === 'string') shown['current_commit'] = current_etag.replaceAll('"', '');
  if (updated_at !== undefined) shown['modified_at'] = updated_at;
  if (updated_by !== undefined) shown['modified_by'] = presentWho(updated_by);
  if (holder !== undefined) shown['holder'] = presentWho(holder);
  for (const name of passed) if (details[name] !== undefined) shown[name] = details[name];
  const named = namedHere.get(shown['field']);
  if (named !== undefined) shown['field'] = named;
  return { error: shown };
}
