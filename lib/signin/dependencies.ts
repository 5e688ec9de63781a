import type { IncomingMessage } from 'node:http';
import type { People } from '../access/people.js';
import type { RateLimiter } from '../access/token-buckets.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Log } from '../domain/log.js';
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
  /** A key of the service, by which it knows its own forms again. */
  readonly formKey: Uint8Array;
  /** @throws Refusal UNAVAILABLE when it is there and could not be opened */
  find(workspace: string): Workspace | undefined;
}

export interface SignInOptions {
  /** Where browsers find the service; with the path that a proxy puts in front, without a slash at the end. */
  readonly url: string;
  readonly log: Log;
  /** The client's address, to limit guessing: the same as every other face on this port goes by. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Another provider that people may sign in with. */
  readonly upstream?: Upstream | undefined;
}
