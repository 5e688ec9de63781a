import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimiter } from '../../limits/token-buckets.js';
import type { Clock, Randomness } from '../../domain/clock.js';
import type { Membership, Seat } from '../../domain/signed-in.js';
import type { ServiceJournal } from '../../journal/service-journal.js';
import type { ServiceFile } from '../../sidecar/service-file.js';
import type { Workspace } from '../../workspace/workspace.js';

/** A person at a signed-in browser. */
export interface PersonHere {
  readonly sessionId: string;
  readonly identityId: string;
  readonly signInName: string;
  /** When the session began; milliseconds since 1970. */
  readonly startedAt: number;
  /** When they proved who they are. Null where another provider may have asked them nothing. */
  readonly provenAt: number | null;
  /** Where they may act now. */
  readonly memberships: readonly Membership[];
}

/** The running service, and the sign-in of people, as far as OAuth needs them. */
export interface OAuthDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly limiter: RateLimiter;
  readonly journal: ServiceJournal;
  readonly file: Pick<ServiceFile, 'oauth' | 'addKey' | 'listKeys' | 'removeKey'>;
  /** @throws Refusal UNAVAILABLE when the workspace exists and could not be opened */
  find(workspace: string): Workspace | undefined;
  /** Where an identity is a person, disabled or not. Whether they have joined was asked when they gave consent. */
  membershipsOf(identityId: string): readonly Seat[];
  /** The person of the cookies, looked up each time. @throws Refusal UNAVAILABLE when it cannot be decided */
  readSession(cookies: string | undefined): PersonHere | undefined;
  /** Distinguishes our forms from those of other pages. */
  readonly proof: {
    issue(request: IncomingMessage, response: ServerResponse, sessionId: string): string;
    /** @throws Refusal INVALID_REQUEST */
    require(request: IncomingMessage, proof: string | undefined, sessionId: string): void;
  };
}
