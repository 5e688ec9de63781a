import { BrowserSessionTable } from './browser-session-table.js';
import type { Connection } from '../driver.js';
import { IdentityTable } from './identity-table.js';
import type { OAuthTable } from './oauth-table.js';
import { OneTimeLinkTable } from './one-time-link-table.js';
import { SignInFailureTable } from './sign-in-failure-table.js';

/** The service file's tables about people who sign in. */
export interface PeopleTables {
  readonly identities: IdentityTable;
  readonly links: OneTimeLinkTable;
  readonly sessions: BrowserSessionTable;
  readonly failures: SignInFailureTable;
  readonly oauth: OAuthTable;
  /** Runs the work in one transaction. */
  within<Result>(work: () => Result): Result;
}

/** Opens them on the connection to the service's file, whose schema is up to date. */
export function openPeopleTables(connection: Connection, oauth: OAuthTable): PeopleTables {
  return {
    identities: new IdentityTable(connection),
    links: new OneTimeLinkTable(connection),
    sessions: new BrowserSessionTable(connection),
    failures: new SignInFailureTable(connection),
    oauth,
    within: (work) => connection.transaction(work).immediate(),
  };
}
