import type { People } from '../access/people.js';
import type { RateLimiter } from '../access/rate-limit.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Upstream } from './upstream.js';

/** The running service, as far as this face needs it. */
export interface SignInHost {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly limiter: RateLimiter;
  readonly people: People;
  /** A key of the service, by which it knows its own forms again. */
  readonly formKey: Uint8Array;
  /** @throws Refusal UNAVAILABLE when it is there and could not be opened */
  find(workspace: string): Workspace | undefined;
}

/** What this face writes to the log: fields and a sentence. Never a name that was typed, a secret or an address with one. */
export interface SignInLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

export interface SignInOptions {
  /** Where browsers find the service; with the path that a proxy puts in front, without a slash at the end. */
  readonly url: string;
  readonly log: SignInLog;
  /** Proxies in front that may say who the client is: their number, or which. */
  readonly trustProxy: number | readonly string[];
  /** Another provider that people may sign in with. */
  readonly upstream?: Upstream | undefined;
}
