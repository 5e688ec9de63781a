/** How somebody proved who they are. */
export type SignInMethod = 'password' | 'link' | 'upstream';

/** A principal of one workspace that an identity acts as. */
export interface Seat {
  readonly workspace: string;
  readonly principalId: string;
}

/** A person of one workspace that somebody who signed in may act as. */
export interface Membership extends Seat {
  readonly displayName: string;
}

/** Somebody who is signed in, as a request's session says at this moment. */
export interface SignedIn {
  readonly sessionId: string;
  readonly identityId: string;
  readonly signInName: string;
  readonly method: SignInMethod;
  /** When they proved who they are. Milliseconds since 1970. */
  readonly startedAt: number;
  /** Never empty, and without workspaces where they are disabled. */
  readonly memberships: readonly Membership[];
}

/**
 * Looks a request's session up, anew for each request.
 * @param cookies the header `Cookie` as it was sent
 * @returns undefined where there is none in force, or where nobody is left whom they may act as
 */
export type ReadSession = (cookies: string | undefined) => SignedIn | undefined;

/** How much ended when a principal was disabled. */
export interface EndedSignIns {
  /** Browsers, in all of the person's workspaces. */
  readonly sessions: number;
  /** Applications that acted as the person in this workspace. */
  readonly consents: number;
}
