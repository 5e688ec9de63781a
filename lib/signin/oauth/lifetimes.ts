const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Lifetimes in seconds. */
export const lifetimes = {
  accessToken: 8 * hour,
  refreshToken: 30 * day,
  /** A consent. Refreshing goes on that long without asking again. */
  grant: 365 * day,
  authorizationCode: minute,
  idToken: hour,
  /** From the client's request, with a person signed in, to the person's answer. */
  interaction: hour,
  /** Between the answer and the code. */
  session: 10 * minute,
  /** Ended consents are shown that long. */
  endedGrant: 30 * day,
} as const;

/**
 * Seconds in which a used refresh token is taken again: programs of one person share it, and refresh at the same time.
 * Later it counts as stolen.
 */
export const refreshGrace = 45;

/**
 * A new key replaces a signing key after so many seconds. The old one is shown until none of its signatures is valid.
 */
export const signingKeyAge = 90 * day;
export const signingKeyOverlap = day;
