import { EgressFault } from '../egress/egress-fault.js';
import { scrubberOf } from './scrub.js';
import { SourceFault } from './source.js';

/**
 * Any error as a fault of the source, without the secret. What is not one keeps its text from people: it can say
 * anything.
 */
export function asSourceFault(error: unknown, secret: string | null): SourceFault {
  const scrub = scrubberOf(secret);
  if (error instanceof SourceFault) {
    const { retryAfter } = error;
    return new SourceFault(error.fault, scrub(error.message), retryAfter === undefined ? {} : { retryAfter });
  }
  if (error instanceof EgressFault) return new SourceFault(error.fault, scrub(error.message));
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) {
    return new SourceFault(
      'network',
      'The source did not answer in time. Look whether it can be reached, and try again.',
    );
  }
  return new SourceFault('internal', 'The connector failed. The log of the service says why.');
}
