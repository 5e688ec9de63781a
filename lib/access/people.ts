import type { Clock, Randomness } from '../domain/clock.js';
import type { PeopleTables } from '../sidecar/tables/people-tables.js';
import { BrowserSessions } from './browser-sessions.js';
import { Consents } from './consents.js';
import { PasswordHasher, type PasswordCost } from './hash-password.js';
import { Identities } from './identities.js';
import { OneTimeLinks } from './one-time-links.js';
import { SignInDelay } from './sign-in-delay.js';
import { SignIns } from './sign-ins.js';

/** The people with sign-ins to a service: they belong to no workspace alone. */
export interface People {
  readonly identities: Identities;
  readonly links: OneTimeLinks;
  readonly sessions: BrowserSessions;
  readonly consents: Consents;
  readonly signIns: SignIns;
  readonly passwords: PasswordHasher;
  readonly delay: SignInDelay;
}

/**
 * @param key of the service, for values that must not stand in its file in the clear
 * @param cost of new password hashes; left out: the usual one
 */
export function makePeople(
  tables: PeopleTables,
  clock: Clock,
  randomness: Randomness,
  key: Uint8Array,
  cost?: PasswordCost,
): People {
  const consents = new Consents(tables, clock);
  return {
    identities: new Identities(tables, clock, randomness),
    links: new OneTimeLinks(tables, clock, randomness, consents),
    sessions: new BrowserSessions(tables, clock, randomness),
    consents,
    signIns: new SignIns(tables),
    passwords: new PasswordHasher(randomness, cost),
    delay: new SignInDelay(tables, clock, key),
  };
}
