import type { OAuthScope } from '../../domain/access-token.js';
import type { OAuthGrant } from '../../domain/oauth-grant.js';
import { Table } from '../statement.js';

interface GrantRow extends Omit<OAuthGrant, 'scopes'> {
  readonly scope: string;
}

const selectGrant = `SELECT id, identity_id AS identityId, workspace, principal_id AS principalId, client_id AS clientId,
    client_name AS clientName, redirect_host AS redirectHost, scope, created_at AS createdAt, expires_at AS expiresAt,
    last_used_at AS lastUsedAt, revoked_at AS revokedAt
  FROM oauth_grant`;

const toGrant = ({ scope, ...row }: GrantRow): OAuthGrant => ({
  ...row,
  scopes: scope.split(' ').filter((each) => each !== '') as OAuthScope[],
});

/** A stored entry issued to or kept for a client: its content sealed, its id hashed. */
export interface OAuthEntry {
  readonly kind: string;
  readonly idHash: Uint8Array;
  readonly grantId: string | null;
  readonly uid: string | null;
  readonly accountId: string | null;
  readonly content: Uint8Array;
  /** Milliseconds since 1970; null where it does not apply. */
  readonly consumedAt: number | null;
  readonly expiresAt: number | null;
}

const selectEntry = `SELECT kind, id_hash AS idHash, grant_id AS grantId, uid, account_id AS accountId, content,
    consumed_at AS consumedAt, expires_at AS expiresAt
  FROM oauth_entry`;

/** Consents, and the entries issued for them. */
export class OAuthTable extends Table {
  readonly #findEntry = this.statement<[string, Uint8Array], OAuthEntry>(
    `${selectEntry} WHERE kind = ? AND id_hash = ?`,
  );
  readonly #findByUid = this.statement<[string], OAuthEntry>(`${selectEntry} WHERE uid = ?`);
  readonly #upsert = this.statement<[OAuthEntry]>(
    `INSERT INTO oauth_entry (kind, id_hash, grant_id, uid, account_id, content, consumed_at, expires_at)
     VALUES (@kind, @idHash, @grantId, @uid, @accountId, @content, @consumedAt, @expiresAt)
     ON CONFLICT (kind, id_hash) DO UPDATE SET grant_id = excluded.grant_id, uid = excluded.uid,
       account_id = coalesce(excluded.account_id, account_id), content = excluded.content, expires_at = excluded.expires_at`,
  );
  readonly #consume = this.statement(
    'UPDATE oauth_entry SET consumed_at = ? WHERE kind = ? AND id_hash = ? AND consumed_at IS NULL',
  );
  readonly #giveBack = this.statement('UPDATE oauth_entry SET consumed_at = NULL WHERE kind = ? AND id_hash = ?');
  readonly #remove = this.statement('DELETE FROM oauth_entry WHERE kind = ? AND id_hash = ?');
  readonly #removeOfGrant = this.statement("DELETE FROM oauth_entry WHERE grant_id = ? AND kind <> 'AccessToken'");
  readonly #emptyOfGrant = this.statement("UPDATE oauth_entry SET content = x'' WHERE grant_id = ?");
  readonly #removeEntriesOf = this.statement(
    'DELETE FROM oauth_entry WHERE grant_id IN (SELECT id FROM oauth_grant WHERE workspace = ?)',
  );
  readonly #removeGrantsOf = this.statement('DELETE FROM oauth_grant WHERE workspace = ?');
  readonly #findGrant = this.statement<[string], GrantRow>(`${selectGrant} WHERE id = ?`);
  readonly #listGrants = this.statement<[], GrantRow>(`${selectGrant} ORDER BY created_at, id`);
  readonly #listGrantsOf = this.statement<[string], GrantRow>(
    `${selectGrant} WHERE identity_id = ? ORDER BY created_at DESC, id`,
  );
  readonly #lastUseOf = this.valueStatement<[string, string], number | null>(
    'SELECT max(last_used_at) FROM oauth_grant WHERE identity_id = ? AND workspace = ?',
  );
  readonly #insertGrant = this.statement<[Omit<OAuthGrant, 'scopes'> & { scope: string }]>(
    `INSERT INTO oauth_grant (id, identity_id, workspace, principal_id, client_id, client_name, redirect_host, scope,
       created_at, expires_at)
     VALUES (@id, @identityId, @workspace, @principalId, @clientId, @clientName, @redirectHost, @scope,
       @createdAt, @expiresAt)`,
  );
  readonly #touchGrant = this.statement('UPDATE oauth_grant SET last_used_at = ? WHERE id = ?');
  readonly #revokeGrant = this.statement('UPDATE oauth_grant SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?');
  readonly #hasGrantOf = this.statement<[string, number]>(
    'SELECT 1 FROM oauth_grant WHERE client_id = ? AND revoked_at IS NULL AND expires_at > ? LIMIT 1',
  );
  readonly #nameOwner = this.statement('UPDATE oauth_entry SET account_id = ? WHERE kind = ? AND id_hash = ?');
  readonly #keepNewestOf = this.statement(
    `DELETE FROM oauth_entry WHERE (kind, id_hash) IN
       (SELECT kind, id_hash FROM oauth_entry WHERE kind = ? AND account_id = ?
        ORDER BY expires_at DESC LIMIT -1 OFFSET ?)`,
  );
  readonly #keepNewest = this.statement(
    `DELETE FROM oauth_entry WHERE (kind, id_hash) IN
       (SELECT kind, id_hash FROM oauth_entry WHERE kind = ? AND grant_id = ?
        ORDER BY consumed_at IS NULL DESC, expires_at DESC LIMIT -1 OFFSET ?)`,
  );
  readonly #keepEnded = this.statement(
    `DELETE FROM oauth_grant WHERE id IN
       (SELECT id FROM oauth_grant WHERE identity_id = ? AND revoked_at IS NOT NULL
        ORDER BY revoked_at DESC LIMIT -1 OFFSET ?)`,
  );
  readonly #countOf = this.valueStatement<[string], number>(
    'SELECT count(*) AS number FROM oauth_entry WHERE kind = ?',
  );
  readonly #sweepEntries = this.statement(
    `DELETE FROM oauth_entry WHERE (kind, id_hash) IN
       (SELECT kind, id_hash FROM oauth_entry WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
  );
  readonly #sweepGrants = this.statement(
    `DELETE FROM oauth_grant WHERE id IN
       (SELECT id FROM oauth_grant WHERE expires_at <= ? OR revoked_at <= ? LIMIT ?)`,
  );
  readonly #sweep = this.connection.transaction((now: number, endedBefore: number, most: number) => {
    const { changes } = this.#sweepEntries.run(now, most);
    return changes + this.#sweepGrants.run(endedBefore, endedBefore, most - changes).changes;
  });

  findEntry(kind: string, idHash: Uint8Array): OAuthEntry | undefined {
    return this.#findEntry.get(kind, idHash);
  }

  findByUid(uid: string): OAuthEntry | undefined {
    return this.#findByUid.get(uid);
  }

  /** Adds an entry, or replaces an existing one except its consumption. */
  putEntry(entry: OAuthEntry): void {
    this.#upsert.run(entry);
  }

  /** Only the first use counts. @returns whether this was the first, and the entry exists */
  consume(kind: string, idHash: Uint8Array, at: number): boolean {
    return this.#consume.run(at, kind, idHash).changes > 0;
  }

  /** Undoes the use of an entry. */
  giveBack(kind: string, idHash: Uint8Array): void {
    this.#giveBack.run(kind, idHash);
  }

  removeEntry(kind: string, idHash: Uint8Array): void {
    this.#remove.run(kind, idHash);
  }

  countEntries(kind: string): number {
    return this.#countOf.get(kind) ?? 0;
  }

  /**
   * Sets the identity of an entry without a consent so far. An identity keeps `most` entries of that kind; the oldest
   * goes.
   * @param most entries of the kind that an identity keeps
   */
  nameOwner(kind: string, idHash: Uint8Array, identityId: string, most: number): void {
    this.#nameOwner.run(identityId, kind, idHash);
    this.#keepNewestOf.run(kind, identityId, most);
  }

  /** Keeps `most` entries of a kind for a consent: used ones go first, then the oldest. */
  keepNewest(kind: string, grantId: string, most: number): void {
    this.#keepNewest.run(kind, grantId, most);
  }

  /** Whether there is a consent for that client now. */
  hasGrantOf(clientId: string, now: number): boolean {
    return this.#hasGrantOf.get(clientId, now) !== undefined;
  }

  findGrant(id: string): OAuthGrant | undefined {
    const row = this.#findGrant.get(id);
    return row === undefined ? undefined : toGrant(row);
  }

  /** Also ended consents, as long as they are stored. */
  listGrants(): OAuthGrant[] {
    return this.#listGrants.all().map(toGrant);
  }

  /** As `listGrants`, of one identity; the newest first. */
  listGrantsOf(identityId: string): OAuthGrant[] {
    return this.#listGrantsOf.all(identityId).map(toGrant);
  }

  /** When any of an identity's consents in a workspace was used last. */
  lastUseOf(identityId: string, workspace: string): number | null {
    return this.#lastUseOf.get(identityId, workspace) ?? null;
  }

  insertGrant({ scopes, ...grant }: OAuthGrant): void {
    this.#insertGrant.run({ ...grant, scope: scopes.join(' ') });
  }

  /** Keeps `most` ended consents of an identity, to be shown: the last ended ones. */
  keepEnded(identityId: string, most: number): void {
    this.#keepEnded.run(identityId, most);
  }

  noteUse(grantId: string, at: number): void {
    this.#touchGrant.run(at, grantId);
  }

  /**
   * Ends it, and everything issued for it. The hash of an access token stays until the token would have expired. A
   * later use of the token can so be told from any other text.
   */
  revokeGrant(id: string, at: number): void {
    this.#revokeGrant.run(at, id);
    this.#removeOfGrant.run(id);
    this.#emptyOfGrant.run(id);
  }

  /** All consents of a workspace that is removed, with everything issued for them. */
  removeOfWorkspace(workspace: string): void {
    this.#removeEntriesOf.run(workspace);
    this.#removeGrantsOf.run(workspace);
  }

  /**
   * Drops some expired rows: deleting overwrites, and many rows at once would delay all other work.
   * @param endedBefore grants that ended before then are no longer shown either
   * @param most rows
   * @returns the number of rows: fewer than `most` when nothing is left
   */
  sweep(now: number, endedBefore: number, most: number): number {
    return this.#sweep(now, endedBefore, most);
  }
}
