import type { Version } from '../../domain/document.js';
import { preconditionHolds } from '../../domain/etag.js';
import type { CheckedRequest } from './checked-request.js';
import { parsePrecondition } from './parse-precondition.js';

/**
 * The version that a read means (RFC 9110 §13.1.1, §13.1.4): by If-Match or, without that, by If-Unmodified-Since. A
 * date that is none is passed over, as the RFC asks.
 * @returns undefined without a condition
 * @throws Refusal INVALID_REQUEST `bad_field` for an invalid If-Match
 */
export function readCondition(request: CheckedRequest): ((version: Version) => boolean) | undefined {
  const match = request.header('If-Match');
  if (match !== undefined) {
    const precondition = parsePrecondition(match, 'If-Match');
    return ({ id }) => preconditionHolds(precondition, id);
  }
  const until = Date.parse(request.header('If-Unmodified-Since') ?? '');
  // Last-Modified has whole seconds.
  return Number.isNaN(until) ? undefined : ({ at }) => Math.floor(at / 1000) * 1000 <= until;
}
