import { isSelfMade, type Credential } from '../domain/credential.js';

/**
 * Towards which source the requests of a key count, where that is not the key itself. Whoever makes keys for themselves
 * gets no more done with many than with one.
 */
export function countedAs(key: Credential): string | undefined {
  if (key.madeWith !== null && !isSelfMade(key)) return key.madeWith;
  return isSelfMade(key) && key.requestsPerMinute === null ? `own keys ${key.principalId}` : undefined;
}
