const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long things live, in seconds. */
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
  /** Consents that have ended are shown that long. */
  endedGrant: 30 * day,
} as const;

/**
 * Seconds in which a refresh token that was used already is taken again: programs of one person share it, and refresh
 * at the same time. Later it counts as stolen.
 */
export const refreshGrace = 45;

/** A signing key makes room for a new one after so many seconds, and is shown until nothing that it signed is alive. */
export const signingKeyAge = 90 * day;
export const signingKeyOverlap = day;
