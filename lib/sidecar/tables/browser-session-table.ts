import type { SignInMethod } from '../../domain/signed-in.js';
import { Table } from '../statement.js';

export interface StoredSession {
  readonly id: string;
  readonly identityId: string;
  readonly method: SignInMethod;
  /** The browser's description of itself. */
  readonly browser: string;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** When the person proved who they are. Null where another provider may have asked them nothing. */
  readonly provenAt: number | null;
  /** To the minute. */
  readonly lastSeenAt: number;
  /** The address that another provider vouched for. Null for all other sign-ins. */
  readonly vouchedFor: string | null;
}

const select = `SELECT id, identity_id AS identityId, method, browser, address, started_at AS startedAt,
    proven_at AS provenAt, last_seen_at AS lastSeenAt, vouched_for AS vouchedFor
  FROM browser_session`;

/** Browsers that are signed in; only the hash of a cookie is ever stored. */
export class BrowserSessionTable extends Table {
  readonly #find = this.statement<[Uint8Array], StoredSession>(`${select} WHERE secret_hash = ?`);
  readonly #byId = this.statement<[string], StoredSession>(`${select} WHERE id = ?`);
  readonly #listOf = this.statement<[string], StoredSession>(
    `${select} WHERE identity_id = ? ORDER BY last_seen_at DESC, started_at DESC, id`,
  );
  readonly #lastSeenOf = this.valueStatement<[string], number | null>(
    'SELECT max(last_seen_at) FROM browser_session WHERE identity_id = ?',
  );
  readonly #insert = this.statement(
    `INSERT INTO browser_session (secret_hash, id, identity_id, method, browser, address, started_at, proven_at,
       last_seen_at, vouched_for)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #touch = this.statement('UPDATE browser_session SET last_seen_at = ? WHERE id = ?');
  readonly #delete = this.statement('DELETE FROM browser_session WHERE identity_id = ? AND id = ?');
  readonly #deleteOf = this.statement('DELETE FROM browser_session WHERE identity_id = ?');
  readonly #sweep = this.statement(
    `DELETE FROM browser_session WHERE secret_hash IN
       (SELECT secret_hash FROM browser_session WHERE last_seen_at < ? OR started_at < ? LIMIT ?)`,
  );

  find(secretHash: Uint8Array): StoredSession | undefined {
    return this.#find.get(secretHash);
  }

  byId(id: string): StoredSession | undefined {
    return this.#byId.get(id);
  }

  /** The one seen last comes first. */
  listOf(identityId: string): StoredSession[] {
    return this.#listOf.all(identityId);
  }

  /** When any of them was seen last. */
  lastSeenOf(identityId: string): number | null {
    return this.#lastSeenOf.get(identityId) ?? null;
  }

  insert(session: StoredSession, secretHash: Uint8Array): void {
    this.#insert.run(
      secretHash,
      session.id,
      session.identityId,
      session.method,
      session.browser,
      session.address,
      session.startedAt,
      session.provenAt,
      session.lastSeenAt,
      session.vouchedFor,
    );
  }

  touch(id: string, at: number): void {
    this.#touch.run(at, id);
  }

  /** @returns whether that identity had such a session */
  delete(identityId: string, id: string): boolean {
    return this.#delete.run(identityId, id).changes > 0;
  }

  /** @returns how many there were */
  deleteOf(identityId: string): number {
    return this.#deleteOf.run(identityId).changes;
  }

  /** Deletes some sessions last seen, or begun, before these moments. Milliseconds since 1970. @param most rows */
  sweep(seenBefore: number, begunBefore: number, most: number): void {
    this.#sweep.run(seenBefore, begunBefore, most);
  }
}
