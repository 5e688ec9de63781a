import type { Claim } from '../../domain/claim.js';
import type { PrincipalKind } from '../../domain/principal.js';
import { Table } from '../statement.js';

/** A claim with the number of its document. */
export interface ClaimRow extends Omit<Claim, 'holdsDocument'> {
  readonly document: number;
  /** A digest of the section's lines; null for a whole document, or when the heading is gone. */
  readonly sectionDigest: string | null;
  /** Time and principal of a release or break before it ran out; null without one. */
  readonly endedAt: number | null;
  readonly endedBy: string | null;
}

interface Row extends Omit<ClaimRow, 'holder'> {
  readonly holderId: string;
  readonly holderKind: PrincipalKind;
  readonly holderName: string;
}

const toClaim = ({ holderId, holderKind, holderName, ...row }: Row): ClaimRow => ({
  ...row,
  holder: { id: holderId, kind: holderKind, displayName: holderName },
});

const select = `SELECT c.id, c.document, c.section, c.section_digest AS sectionDigest, c.purpose, c.claimed_at AS claimedAt,
    c.expires_at AS expiresAt, c.ended_at AS endedAt, c.ended_by AS endedBy, c.holder AS holderId, p.kind AS holderKind,
    p.display_name AS holderName
  FROM claim c JOIN principal p ON p.id = c.holder`;

/** Leases. Expired or ended ones have no effect; they stay a while for their holders and are swept later. */
export class ClaimTable extends Table {
  readonly #find = this.statement<[string], Row>(`${select} WHERE c.id = ?`);
  readonly #on = this.statement<[number, number], Row>(
    `${select} WHERE c.document = ? AND c.expires_at > ? AND c.ended_at IS NULL ORDER BY c.claimed_at, c.id`,
  );
  readonly #active = this.statement<[number], Row>(
    `${select} WHERE c.expires_at > ? AND c.ended_at IS NULL ORDER BY c.claimed_at, c.id`,
  );
  readonly #claimed = this.valueStatement<[number], number>(
    'SELECT DISTINCT document FROM claim WHERE expires_at > ? AND ended_at IS NULL',
  );
  readonly #holdsAny = this.valueStatement<[number], number>('SELECT EXISTS (SELECT 1 FROM claim WHERE document = ?)');
  readonly #ofHolder = this.statement<[string, number, number], Row>(
    `${select} WHERE c.holder = ? AND c.expires_at > ? AND (c.ended_by IS NULL OR c.ended_by <> c.holder)
     ORDER BY c.expires_at DESC, c.id LIMIT ?`,
  );
  readonly #countHeld = this.valueStatement<[string, number], number>(
    'SELECT count(*) FROM claim WHERE holder = ? AND expires_at > ? AND ended_at IS NULL',
  );
  readonly #ofHolderOn = this.statement<[number, string, number], Row>(
    `${select} WHERE c.document = ? AND c.holder = ? AND c.expires_at > ?
     ORDER BY c.ended_at IS NOT NULL, c.expires_at DESC, c.id`,
  );
  readonly #insert = this.statement(
    `INSERT INTO claim (id, document, section, section_digest, holder, purpose, claimed_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #renew = this.statement('UPDATE claim SET expires_at = ?, purpose = ?, section_digest = ? WHERE id = ?');
  readonly #setSection = this.statement('UPDATE claim SET section = ?, section_digest = ? WHERE id = ?');
  readonly #end = this.statement('UPDATE claim SET ended_at = ?, ended_by = ? WHERE id = ?');
  readonly #sweep = this.statement(
    'DELETE FROM claim WHERE id IN (SELECT id FROM claim WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
  );

  readonly #toLapse = this.arrayStatement<[number, number], [id: string, document: number]>(
    `SELECT id, document FROM claim WHERE is_lapsed = 0 AND ended_at IS NULL AND expires_at <= ?
     ORDER BY expires_at LIMIT ?`,
  );
  readonly #lapse = this.statement<[string]>('UPDATE claim SET is_lapsed = 1 WHERE id = ?');

  /** Some documents with claims that have run out since this was called last; one for each claim. */
  lapse(now: number, limit: number): number[] {
    return this.#toLapse.all(now, limit).map(([id, document]) => {
      this.#lapse.run(id);
      return document;
    });
  }

  /** Whether there are any. */
  hasLapsed(now: number): boolean {
    return this.#toLapse.get(now, 1) !== undefined;
  }

  /** Any stored claim, in any state. */
  find(id: string): ClaimRow | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : toClaim(row);
  }

  /** Numbers of the documents with such claims. */
  claimedDocuments(now: number): Set<number> {
    return new Set(this.#claimed.all(now));
  }

  /** Whether there is any stored claim on the document, in any state. */
  holdsAny(document: number): boolean {
    return this.#holdsAny.get(document) === 1;
  }

  /** Claims on the document that have neither run out at `now` nor been ended. */
  on(document: number, now: number): ClaimRow[] {
    return this.#on.all(document, now).map(toClaim);
  }

  /** All claims that have neither run out at `now` nor been ended. */
  active(now: number): ClaimRow[] {
    return this.#active.all(now).map(toClaim);
  }

  /** The holder's claims that run or ran out after `since`, without those that it gave up itself; the last first. */
  ofHolder(holder: string, since: number, limit: number): ClaimRow[] {
    return this.#ofHolder.all(holder, since, limit).map(toClaim);
  }

  /** The number of the holder's claims that have neither run out at `now` nor been ended. */
  countHeld(holder: string, now: number): number {
    return this.#countHeld.get(holder, now) ?? 0;
  }

  /** The holder's claims on the document that run or ran out after `since`; those that were not ended come first. */
  ofHolderOn(document: number, holder: string, since: number): ClaimRow[] {
    return this.#ofHolderOn.all(document, holder, since).map(toClaim);
  }

  insert(
    claim: Omit<Claim, 'holdsDocument'> & { readonly document: number; readonly sectionDigest?: string | null },
  ): void {
    this.#insert.run(
      claim.id,
      claim.document,
      claim.section,
      claim.sectionDigest ?? null,
      claim.holder.id,
      claim.purpose,
      claim.claimedAt,
      claim.expiresAt,
    );
  }

  renew(id: string, expiresAt: number, purpose: string | null, sectionDigest: string | null): void {
    this.#renew.run(expiresAt, purpose, sectionDigest, id);
  }

  setSection(id: string, section: string, digest: string | null): void {
    this.#setSection.run(section, digest, id);
  }

  end(id: string, at: number, by: string): void {
    this.#end.run(at, by, id);
  }

  /** Deletes some claims that ran out at or before that time. */
  sweep(upTo: number, limit: number): void {
    this.#sweep.run(upTo, limit);
  }
}
