import type { People } from '../access/people.js';
import type { RateLimiter } from '../limits/token-buckets.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { RequestNotes } from '../http/exchange.js';
import type { ServiceJournal } from '../journal/service-journal.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Upstream } from './upstream.js';

/** The running service, as far as this face needs it. */
export interface SignInDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly limiter: RateLimiter;
  readonly people: People;
  readonly journal: ServiceJournal;
  /** A key of the service, for recognising its own forms. */
  readonly formKey: Uint8Array;
  /** @throws Refusal UNAVAILABLE when the workspace exists and could not be opened */
  find(workspace: string): Workspace | undefined;
}

export interface SignInOptions extends RequestNotes {
  /** The service's address for browsers; with a proxy's path prefix, without a slash at the end. */
  readonly url: string;
  /** Another provider for signing in. */
  readonly upstream?: Upstream | undefined;
}
