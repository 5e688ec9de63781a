import type { Code } from '../domain/code.js';
import type { Refusal } from '../domain/refusal.js';
import { formatEtag } from '../domain/etag.js';
import { answerJson, type Answer } from './answer.js';
import { presentForRest } from './present-details.js';

/** The status of each code (the specification's Errors). There is no other. */
const statusOf: Readonly<Record<Code, number>> = {
  NOT_FOUND: 404,
  INVALID_REQUEST: 400,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};

/** The only place where a Refusal becomes HTTP. What it hides (its cause) stays hidden. */
export function presentProblem(refusal: Refusal, requestId: string): Answer {
  const { code, message, details } = refusal;
  const headers: Record<string, string> = {};
  if (refusal.retryAfter !== undefined) headers['Retry-After'] = String(refusal.retryAfter);
  if (details?.reason === 'stale_if_match') headers['ETag'] = formatEtag(details.current.id);
  if (code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = 'Bearer';
  const error =
    details === undefined
      ? { code, message, request_id: requestId }
      : { code, message, request_id: requestId, details: presentForRest(details) };
  return answerJson(statusOf[code], { error }, headers);
}
