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

  insert(relocation: NewRelocation): void {
    const { commit, operation, document, from, to, author, at, moment } = relocation;
    this.#insert.run(commit, operation, document, from, to, author, at, moment);
  }
}
