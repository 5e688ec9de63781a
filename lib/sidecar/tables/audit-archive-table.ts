import { Table } from '../statement.js';

/** A stretch of the chain that lies in a file. */
export interface ArchiveRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The last record's hash, which the next one links to. */
  readonly lastHash: Buffer;
  /** When the last record was made, in milliseconds since 1970. */
  readonly lastAt: number;
  /** Name of the file in the workspace's `audit` folder. */
  readonly file: string;
  /** Hex, of the file as it lies there. */
  readonly sha256: string;
  readonly bytes: number;
  readonly archivedAt: number;
}

interface Row {
  first_seq: number;
  last_seq: number;
  last_hash: Buffer;
  last_at: number;
  file: string;
  sha256: string;
  bytes: number;
  archived_at: number;
}

const toArchive = (row: Row): ArchiveRow => ({
  firstSeq: row.first_seq,
  lastSeq: row.last_seq,
  lastHash: row.last_hash,
  lastAt: row.last_at,
  file: row.file,
  sha256: row.sha256,
  bytes: row.bytes,
  archivedAt: row.archived_at,
});

/** Which files the older part of the audit chain lies in, in order and without gaps from the first record on. */
export class AuditArchiveTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO audit_archive (first_seq, last_seq, last_hash, last_at, file, sha256, bytes, archived_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #list = this.statement<[], Row>('SELECT * FROM audit_archive ORDER BY first_seq');
  readonly #last = this.statement<[], Row>('SELECT * FROM audit_archive ORDER BY first_seq DESC LIMIT 1');
  readonly #holding = this.statement<[number, number], Row>(
    'SELECT * FROM audit_archive WHERE first_seq <= ? AND last_seq >= ? LIMIT 1',
  );

  insert(row: ArchiveRow): void {
    const { firstSeq, lastSeq, lastHash, lastAt, file, sha256, bytes, archivedAt } = row;
    this.#insert.run(firstSeq, lastSeq, lastHash, lastAt, file, sha256, bytes, archivedAt);
  }

  list(): ArchiveRow[] {
    return this.#list.all().map(toArchive);
  }

  /** The archive that a record lies in. */
  holding(seq: number): ArchiveRow | undefined {
    const row = this.#holding.get(seq, seq);
    return row === undefined ? undefined : toArchive(row);
  }

  last(): ArchiveRow | undefined {
    const row = this.#last.get();
    return row === undefined ? undefined : toArchive(row);
  }
}
