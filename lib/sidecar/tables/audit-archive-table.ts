import { Table } from '../statement.js';

/** A range of the chain in a file. */
export interface ArchiveRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The hash of the last record, to which the next one links. */
  readonly lastHash: Buffer;
  /** When the last record was made, in milliseconds since 1970. */
  readonly lastAt: number;
  /** Name of the file in the workspace's `audit` folder. */
  readonly file: string;
  /** Hex, of the file as stored. */
  readonly sha256: string;
  readonly bytes: number;
  readonly archivedAt: number;
}

const select = `SELECT first_seq AS firstSeq, last_seq AS lastSeq, last_hash AS lastHash, last_at AS lastAt, file, sha256,
    bytes, archived_at AS archivedAt
  FROM audit_archive`;

/** The files of the older part of the audit chain, in order and without gaps from the first record on. */
export class AuditArchiveTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO audit_archive (first_seq, last_seq, last_hash, last_at, file, sha256, bytes, archived_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #list = this.statement<[], ArchiveRow>(`${select} ORDER BY first_seq`);
  readonly #last = this.statement<[], ArchiveRow>(`${select} ORDER BY first_seq DESC LIMIT 1`);
  readonly #holding = this.statement<[number, number], ArchiveRow>(
    `${select} WHERE first_seq <= ? AND last_seq >= ? LIMIT 1`,
  );

  insert(row: ArchiveRow): void {
    const { firstSeq, lastSeq, lastHash, lastAt, file, sha256, bytes, archivedAt } = row;
    this.#insert.run(firstSeq, lastSeq, lastHash, lastAt, file, sha256, bytes, archivedAt);
  }

  list(): ArchiveRow[] {
    return this.#list.all();
  }

  /** The archive with a record. */
  holding(seq: number): ArchiveRow | undefined {
    return this.#holding.get(seq, seq);
  }

  last(): ArchiveRow | undefined {
    return this.#last.get();
  }
}
