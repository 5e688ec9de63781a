import type { DeferredAudit } from '../journal/deferred-audit.js';
import { readBearer, recogniseKey, type Recognised } from '../workspace/recognise-key.js';
import type { RestDependencies } from './dependencies.js';

export type { Recognised } from '../workspace/recognise-key.js';

/**
 * Recognises the caller by the bearer key (Authentication 1–6).
 * @param authorization the header as sent
 * @param address the client's, to limit guessing
 * @throws Refusal as `recogniseKey` does
 */
export function authenticateRequest(
  dependencies: RestDependencies,
  later: DeferredAudit,
  authorization: string | undefined,
  address: string,
): Recognised {
  return recogniseKey(dependencies, later, readBearer(authorization), 'rest', address);
}
