import type { Refusal } from '../../domain/refusal.js';
import { formatEtag } from '../../domain/etag.js';
import { statusOfCode } from '../../http/status-of.js';
import { answerJson, type Answer } from './api-answer.js';
import { presentDetails, type RefusalDetails } from '../../domain/refusal-details.js';
import { detailRecords } from '../../records/refusal-record.js';

/**
 * A refusal as the JSON APIs answer it, for all their rows. Its cause stays hidden.
 * @param challenge how callers are recognised, for UNAUTHENTICATED
 */
export function presentProblem(refusal: Refusal, requestId: string, challenge: string): Answer {
  const { code, message, details } = refusal;
  const headers: Record<string, string> = {};
  if (refusal.retryAfter !== undefined) headers['Retry-After'] = String(refusal.retryAfter);
  if (details?.reason === 'stale_if_match') headers['ETag'] = formatEtag(details.current.id);
  if (details?.reason === 'method_not_allowed') headers['Allow'] = details.allowed.join(', ');
  if (details?.reason === 'range_not_satisfiable') headers['Content-Range'] = `bytes */${details.size}`;
  if (code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = challenge;
  const error =
    details === undefined
      ? { code, message, request_id: requestId }
      : { code, message, request_id: requestId, details: presentForRest(details) };
  return answerJson(statusOfCode[code], { error }, headers);
}

/** The description's `…Details`. */
const presentForRest = (details: RefusalDetails): object => presentDetails(details, detailRecords);
