import type { AuditRecord, AuditText } from '../../domain/audit-record.js';
import type { CallerInterface } from '../../domain/caller.js';
import { Table } from '../statement.js';

/** A record as stored; hashes and commitments as bytes. */
export interface AuditRow extends Omit<AuditRecord, 'at' | 'outcome' | 'target' | 'detail' | 'prev_hash' | 'hash'> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly target: Buffer | null;
  readonly detail: Buffer | null;
  readonly hash: Buffer;
}

/** A text as its record commits to it. */
export interface StoredText extends AuditText {
  /** Whether the file holds it in the form of earlier builds for text that is no Unicode. */
  readonly isAltered: boolean;
}

export interface Tally {
  readonly minute: number;
  readonly interface: CallerInterface;
  readonly reason: string;
  readonly source: string;
  readonly count: number;
}

/**
 * The bytes that earlier builds stored for half of a surrogate pair: three that are no UTF-8 (RFC 3629 §3). Read as
 * text they are three times U+FFFD. The hashed text had U+FFFD once in their place.
 */
const encodedSurrogate = /\xed[\xa0-\xbf][\x80-\xbf]/g;
const decodedSurrogate = '\ufffd\ufffd\ufffd';
/** U+FFFD in UTF-8, a character for each byte. */
const replacementCharacter = '\xef\xbf\xbd';

/** The chain's records, the erasable texts beside them, and the counts of this minute. */
export class AuditTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO audit_record (seq, at, principal, credential, interface, action, code, target, version, request_id,
       detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #insertText = this.statement(
    'INSERT INTO audit_text (seq, salt, target, detail, document_id, is_refused) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #head = this.statement<[], { seq: number; hash: Buffer }>(
    'SELECT seq, hash FROM audit_record ORDER BY seq DESC LIMIT 1',
  );
  readonly #after = this.statement<[number, number], AuditRow>(
    'SELECT * FROM audit_record WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  readonly #find = this.statement<[number], AuditRow>('SELECT * FROM audit_record WHERE seq = ?');
  readonly #text = this.statement<[number], { salt: Buffer; target: string | null; detail: string | null }>(
    'SELECT salt, target, detail FROM audit_text WHERE seq = ?',
  );
  readonly #targetBytes = this.valueStatement<[number], Buffer | null>(
    'SELECT CAST(target AS BLOB) FROM audit_text WHERE seq = ?',
  );
  readonly #tally = this.statement(
    `INSERT INTO audit_tally (minute, interface, reason, source, count) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  readonly #due = this.statement<[number, number], Tally>(
    'SELECT * FROM audit_tally WHERE minute < ? ORDER BY minute, interface, reason, source LIMIT ?',
  );
  readonly #deleteUpTo = this.statement('DELETE FROM audit_record WHERE seq <= ?');
  readonly #lastBefore = this.valueStatement<[number], number>(
    'SELECT seq FROM audit_record WHERE at < ? ORDER BY seq DESC LIMIT 1',
  );
  readonly #endTally = this.statement(
    'DELETE FROM audit_tally WHERE (minute, interface, reason, source) <= (?, ?, ?, ?)',
  );

  insert(row: AuditRow): void {
    this.#insert.run(
      row.seq,
      row.at,
      row.principal,
      row.credential,
      row.interface,
      row.action,
      row.code,
      row.target,
      row.version,
      row.request_id,
      row.detail,
      row.hash,
    );
  }

  insertText(
    seq: number,
    salt: Uint8Array,
    target: string | null,
    detail: string | null,
    documentId: string | null,
    isRefused: boolean,
  ): void {
    this.#insertText.run(seq, salt, target, detail, documentId, isRefused ? 1 : null);
  }

  /** The last record's number and hash, or undefined in an empty chain. */
  head(): { readonly seq: number; readonly hash: Buffer } | undefined {
    return this.#head.get();
  }

  find(seq: number): AuditRow | undefined {
    return this.#find.get(seq);
  }

  after(seq: number, limit: number): AuditRow[] {
    return this.#after.all(seq, limit);
  }

  /**
   * The text behind a record's commitments. A target that an earlier build stored altered is read as its record commits
   * to it. Details are JSON, which escapes text that is no Unicode: they were never altered.
   */
  textOf(seq: number): StoredText | undefined {
    const row = this.#text.get(seq);
    if (row === undefined) return undefined;
    const { target, isAltered } = this.#readTarget(seq, row.target);
    return { seq, salt: row.salt.toString('hex'), target, detail: row.detail, isAltered };
  }

  #readTarget(seq: number, text: string | null): { readonly target: string | null; readonly isAltered: boolean } {
    if (text === null || !text.includes(decodedSurrogate)) return { target: text, isAltered: false };
    const bytes = this.#targetBytes.get(seq)?.toString('latin1') ?? '';
    const mended = bytes.replace(encodedSurrogate, replacementCharacter);
    if (mended === bytes) return { target: text, isAltered: false };
    return { target: Buffer.from(mended, 'latin1').toString('utf8'), isAltered: true };
  }

  /** Number of the last record made before that time (milliseconds since 1970); 0 when there is none. */
  lastBefore(at: number): number {
    return this.#lastBefore.get(at) ?? 0;
  }

  /** Removes records that lie in an archive now; their texts stay. */
  deleteUpTo(seq: number): void {
    this.#deleteUpTo.run(seq);
  }

  addToTally(tally: Tally): void {
    this.#tally.run(tally.minute, tally.interface, tally.reason, tally.source, tally.count);
  }

  /** The first counts of minutes before this one, at most `limit`. */
  talliesBefore(minute: number, limit: number): Tally[] {
    return this.#due.all(minute, limit);
  }

  /** Removes this tally and all earlier ones in the order of `talliesBefore`. */
  deleteTalliesUpTo(last: Tally): void {
    this.#endTally.run(last.minute, last.interface, last.reason, last.source);
  }
}
