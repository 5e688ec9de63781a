import type { IncomingMessage } from 'node:http';
import type { People } from '../access/people.js';
import type { RateLimiter } from '../access/token-buckets.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Log } from '../domain/log.js';
import type { RequestObserver } from '../http/log-when-done.js';
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

export interface SignInOptions {
  /** The service's address for browsers; with a proxy's path prefix, without a slash at the end. */
  readonly url: string;
  readonly log: Log;
  /** The client's address, to limit guessing: the same for every face on this port. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly observer?: RequestObserver | undefined;
  /** Another provider for signing in. */
  readonly upstream?: Upstream | undefined;
}
