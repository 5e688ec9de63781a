import { Table } from '../statement.js';

/** A commit as the rewrite left it; null for a removed one. */
export interface RewrittenCommit {
  readonly before: string;
  readonly after: string | null;
}

const oidLength = 20;
const nowhere = '0'.repeat(2 * oidLength);
/** Number of commits in one row. */
const commitsInRow = 500;

/** The names of rewritten commits in their stored form, in pieces of one row each. */
export function encodeRewritten(commits: readonly RewrittenCommit[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < commits.length; start += commitsInRow) {
    const some = commits.slice(start, start + commitsInRow);
    const piece = new Uint8Array(some.length * 2 * oidLength);
    const bytes = Buffer.from(piece.buffer);
    for (const [index, { before, after }] of some.entries()) {
      bytes.write(before, index * 2 * oidLength, 'hex');
      if (after !== null) bytes.write(after, (index * 2 + 1) * oidLength, 'hex');
    }
    pieces.push(piece);
  }
  return pieces;
}

/**
 * The new names of rewritten commits, until every reference to an old one is updated. It works in batches, and each can
 * be repeated.
 */
export class RewrittenCommitTable extends Table {
  readonly #note = this.statement<[Uint8Array]>('INSERT INTO rewritten_commit (oids) VALUES (?)');
  readonly #forget = this.statement(
    'DELETE FROM rewritten_commit WHERE number IN (SELECT number FROM rewritten_commit LIMIT ?)',
  );
  readonly #after = this.statement<[number, number], { number: number; oids: Buffer }>(
    'SELECT number, oids FROM rewritten_commit WHERE number > ? ORDER BY number LIMIT ?',
  );

  /** @param pieces from `encodeRewritten` */
  noteRewritten(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.#note.run(piece);
  }

  /** Deletes some notes of the rewrite. @param most rows @returns how many */
  forgetRewritten(most: number): number {
    return this.#forget.run(most).changes;
  }

  /**
   * Makes the table, in memory and for this connection, from which `repoint` reads; call it with its last result until
   * that is null.
   * @param after null at the beginning
   * @param most rows of notes to load in one go
   */
  takeUpRewritten(after: number | null, most: number): number | null {
    if (after === null) {
      this.connection.exec('DROP TABLE IF EXISTS temp.moved_commit');
      this.connection.exec(
        'CREATE TEMP TABLE moved_commit (old_oid TEXT PRIMARY KEY, new_oid TEXT) STRICT, WITHOUT ROWID',
      );
    }
    const rows = this.#after.all(after ?? 0, most);
    const insert = this.connection.prepare('INSERT OR REPLACE INTO temp.moved_commit (old_oid, new_oid) VALUES (?, ?)');
    for (const { oids } of rows) {
      for (let at = 0; at < oids.length; at += 2 * oidLength) {
        const now = oids.toString('hex', at + oidLength, at + 2 * oidLength);
        insert.run(oids.toString('hex', at, at + oidLength), now === nowhere ? null : now);
      }
    }
    return rows.at(-1)?.number ?? null;
  }

  /** Drops the table in memory. */
  dropTakenUp(): void {
    this.connection.exec('DROP TABLE IF EXISTS temp.moved_commit');
  }

  /**
   * Points a batch of one table's rows to their new commits, by the loaded notes. @returns where to go on; null at the
   * end
   */
  repoint({ table, key, column }: Repointed, after: readonly unknown[], most: number): readonly unknown[] | null {
    const keys = key.join(', ');
    const marks = key.map(() => '?').join(', ');
    const rows = this.connection
      .prepare(`SELECT ${keys} FROM ${table} WHERE (${keys}) > (${marks}) ORDER BY ${keys} LIMIT ${most}`)
      .raw()
      .all(...after) as unknown[][];
    const last = rows.at(-1);
    if (last === undefined) return null;
    const within = `(${keys}) > (${marks}) AND (${keys}) <= (${marks})`;
    this.connection
      .prepare(
        `UPDATE ${table} SET ${column} = (SELECT new_oid FROM temp.moved_commit WHERE old_oid = ${column})
         WHERE ${within} AND ${column} IN (SELECT old_oid FROM temp.moved_commit WHERE new_oid IS NOT NULL)`,
      )
      .run(...after, ...last);
    if (table === 'relocation' || table === 'folder_deletion') {
      // Of a folder that held nothing else: the commit is gone, and so is the event.
      this.connection
        .prepare(
          `DELETE FROM ${table} WHERE ${within}
             AND ${column} IN (SELECT old_oid FROM temp.moved_commit WHERE new_oid IS NULL)`,
        )
        .run(...after, ...last);
    }
    return last;
  }
}

interface Repointed {
  readonly table: string;
  readonly key: readonly string[];
  readonly column: string;
  /** Before the first row. */
  readonly start: readonly unknown[];
}

/** The columns that name commits of the repository. */
export const repointedRows: readonly Repointed[] = [
  { table: 'version', key: ['document', 'sequence'], column: 'commit_oid', start: [0, 0] },
  { table: 'relocation', key: ['number'], column: 'commit_oid', start: [0] },
  { table: 'deletion', key: ['document', 'moment'], column: 'commit_oid', start: [0, -1] },
  { table: 'folder_deletion', key: ['moment'], column: 'commit_oid', start: [-1] },
  { table: 'document', key: ['number'], column: 'deleted_commit', start: [0] },
];
