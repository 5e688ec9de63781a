import type { DeferredAudit } from '../journal/deferred-audit.js';
import { readBearer, recogniseKey, type Recognised } from '../workspace/recognise-key.js';
import type { RestHost } from './dependencies.js';

export type { Recognised } from '../workspace/recognise-key.js';

/**
 * Recognises the caller by the bearer key (Authentication 1–6).
 * @param authorization the header as sent
 * @param address the client's, to limit guessing
 * @throws Refusal as `recogniseKey` does
 */
export function authenticateRequest(
  host: RestHost,
  later: DeferredAudit,
  authorization: string | undefined,
  address: string,
): Recognised {
  return recogniseKey(host, later, readBearer(authorization), 'rest', address);
}
