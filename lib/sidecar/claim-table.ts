import type { Claim } from '../domain/claim.js';
import type { PrincipalKind } from '../domain/principal.js';
import type { Connection } from './database.js';

interface Row {
  id: string;
  document: number;
  section: string | null;
  holder: string;
  holder_kind: PrincipalKind;
  holder_name: string;
  purpose: string | null;
  claimed_at: number;
  expires_at: number;
}

/** A claim with the number of the document it lies on. */
export interface ClaimRow extends Claim {
  readonly document: number;
}

const toClaim = (row: Row): ClaimRow => ({
  id: row.id,
  document: row.document,
  section: row.section,
  holder: { id: row.holder, kind: row.holder_kind, displayName: row.holder_name },
  purpose: row.purpose,
  claimedAt: row.claimed_at,
  expiresAt: row.expires_at,
});

/** Leases that have not been released; those that ran out count no more and are swept later. */
export class ClaimTable {
  readonly #on;
  readonly #active;
  readonly #insert;
  readonly #delete;

  constructor(connection: Connection) {
    const select = `SELECT c.*, p.kind AS holder_kind, p.display_name AS holder_name
      FROM claim c JOIN principal p ON p.id = c.holder`;
    this.#on = connection.prepare<[number, number], Row>(
      `${select} WHERE c.document = ? AND c.expires_at > ? ORDER BY c.claimed_at, c.id`,
    );
    this.#active = connection.prepare<[number], Row>(`${select} WHERE c.expires_at > ? ORDER BY c.claimed_at, c.id`);
    this.#insert = connection.prepare(
      `INSERT INTO claim (id, document, section, holder, purpose, claimed_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#delete = connection.prepare('DELETE FROM claim WHERE id = ?');
  }

  /** Claims on the document that have not run out at `now`. */
  on(document: number, now: number): ClaimRow[] {
    return this.#on.all(document, now).map(toClaim);
  }

  /** All claims that have not run out at `now`. */
  active(now: number): ClaimRow[] {
    return this.#active.all(now).map(toClaim);
  }

  insert(claim: ClaimRow): void {
    this.#insert.run(
      claim.id,
      claim.document,
      claim.section,
      claim.holder.id,
      claim.purpose,
      claim.claimedAt,
      claim.expiresAt,
    );
  }

  delete(id: string): void {
    this.#delete.run(id);
  }
}
