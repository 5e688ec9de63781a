import { Table } from '../statement.js';

export interface NewRelocation {
  readonly commit: string;
  readonly operation: 'rename' | 'move';
  /** Number of the document; null when a folder went. */
  readonly document: number | null;
  readonly from: string;
  readonly to: string;
  readonly author: string;
  readonly at: number;
  /** Number of its commit, counted from the first on main. */
  readonly moment: number;
}

/** Renames and moves, in order. */
export class RelocationTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO relocation (commit_oid, operation, document, from_location, to_location, author, at, moment)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  readonly #insertSome = this.statement<
    [Omit<NewRelocation, 'operation' | 'document' | 'from' | 'to'> & { rows: string }]
  >(
    `INSERT INTO relocation (commit_oid, operation, document, from_location, to_location, author, at, moment)
     SELECT @commit, r.value ->> 0, r.value ->> 1, r.value ->> 2, r.value ->> 3, @author, @at, @moment
     FROM json_each(@rows) r`,
  );

  /** Those of one commit, in one statement: thousands of statements in a transaction cost more than their rows. */
  insertAll(
    relocations: readonly Pick<NewRelocation, 'operation' | 'document' | 'from' | 'to'>[],
    shared: Omit<NewRelocation, 'operation' | 'document' | 'from' | 'to'>,
  ): void {
    const rows = relocations.map(({ operation, document, from, to }) => [operation, document, from, to]);
    this.#insertSome.run({ ...shared, rows: JSON.stringify(rows) });
  }

  insert(relocation: NewRelocation): void {
    const { commit, operation, document, from, to, author, at, moment } = relocation;
    this.#insert.run(commit, operation, document, from, to, author, at, moment);
  }
}
