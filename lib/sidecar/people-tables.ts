import { BrowserSessionTable } from './browser-session-table.js';
import type { Connection } from './database.js';
import { IdentityTable } from './identity-table.js';
import { OneTimeLinkTable } from './one-time-link-table.js';
import { SignInFailureTable } from './sign-in-failure-table.js';

/** What the service's file holds about people who sign in. */
export interface PeopleTables {
  readonly identities: IdentityTable;
  readonly links: OneTimeLinkTable;
  readonly sessions: BrowserSessionTable;
  readonly failures: SignInFailureTable;
  /** All of it or nothing. */
  within<Result>(work: () => Result): Result;
}

export function openPeopleTables(connection: Connection): PeopleTables {
  return {
    identities: new IdentityTable(connection),
    links: new OneTimeLinkTable(connection),
    sessions: new BrowserSessionTable(connection),
    failures: new SignInFailureTable(connection),
    within: (work) => connection.transaction(work).immediate(),
  };
}
