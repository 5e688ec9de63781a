/** The proof of identity at a sign-in. */
export type SignInMethod = 'password' | 'link' | 'upstream';

/** A principal of one workspace used by an identity. */
export interface Seat {
  readonly workspace: string;
  readonly principalId: string;
}

/** A person of one workspace, available to a signed-in identity. */
export interface Membership extends Seat {
  /** The workspace's title; its name where it has no other. */
  readonly title: string;
  readonly displayName: string;
}

/** A signed-in identity, according to a request's session at this moment. */
export interface SignedIn {
  readonly sessionId: string;
  readonly identityId: string;
  readonly signInName: string;
  readonly method: SignInMethod;
  /** When the session began. Milliseconds since 1970. */
  readonly startedAt: number;
  /** When the person proved who they are. Null where another provider may have asked them nothing. */
  readonly provenAt: number | null;
  /** The address that another provider vouched for. Null for all other sign-ins. */
  readonly vouchedFor: string | null;
  /** Never empty, and without workspaces where they are disabled. */
  readonly memberships: readonly Membership[];
}

/**
 * Looks a request's session up, again for each request.
 * @param cookies the header `Cookie` as sent
 * @returns undefined where no session is in force, or no person is left for it to act as
 */
export type ReadSession = (cookies: string | undefined) => SignedIn | undefined;

/**
 * Ends a request's session, recorded in each of the person's workspaces.
 * @param requestId of the request, for the records
 * @returns the header `Set-Cookie` with which the browser forgets it
 */
export type EndSession = (signedIn: SignedIn, requestId: string) => Promise<string>;

/** How much ended when a principal was disabled. */
export interface EndedSignIns {
  /** Browsers, in all of the person's workspaces. */
  readonly sessions: number;
  /** Applications acting as the person in this workspace. */
  readonly consents: number;
}
