import { storedTwinKeyOf } from '../../domain/portable-name.js';
import type { Connection } from '../driver.js';
import { Table } from '../statement.js';
import { connectionOf } from '../scratch-connection.js';
import { sumBytes } from '../totals.js';

interface DocumentRow {
  number: number;
  id: string;
  [column: string]: unknown;
}

interface EventRow {
  moment: number;
  [column: string]: unknown;
}

interface FolderRow {
  number: number;
  parent: number;
  name: string;
  kept: number;
}

/** The rows that the repository's history restores: folders, documents, versions, renames, moves and deletions. */
export class ContentRows extends Table {
  readonly #numbers = this.statement<[], { id: string; number: number }>('SELECT id, number FROM document');
  readonly #insertFolder = this.statement(
    'INSERT INTO folder (number, parent, name, twin_key, kept, mirror) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #setRootMirror = this.statement('UPDATE folder SET mirror = ? WHERE number = 1');
  readonly #mirrors = this.statement<[], { number: number; mirror: string }>(
    'SELECT number, mirror FROM folder WHERE mirror IS NOT NULL',
  );

  /**
   * Replaces the rows by the scratch's, within the caller's transaction. Known documents keep their numbers, and so
   * their labels, claims and all other rows that reference them. Rows that reference documents missing in the scratch
   * are removed. Folders keep the connector that mirrors into them.
   * @param later how much later than in the scratch everything happened, in the order of all events
   * @returns bytes of all versions
   */
  replaceBy(scratch: object, later: number): number {
    const source = connectionOf(scratch);
    const known = new Map(this.#numbers.all().map(({ id, number }) => [id, number]));
    const mirrors = this.#readMirrors();
    // References to documents are valid again, or removed, before the transaction ends.
    this.connection.pragma('defer_foreign_keys = ON');
    for (const table of ['deleted_folder', 'folder_deletion', 'deletion', 'relocation', 'version', 'document'])
      this.connection.exec(`DELETE FROM ${table}`);
    this.connection.exec('DELETE FROM folder WHERE number <> 1');
    this.#copyFolders(source, mirrors);
    const numbers = this.#copyDocuments(source, known);
    this.#copyEvents(source, 'version', numbers, later);
    this.#copyEvents(source, 'relocation', numbers, later);
    this.#copyEvents(source, 'deletion', numbers, later);
    this.#copyFolderDeletions(source, later);
    this.#dropOrphans();
    return sumBytes(this.connection);
  }

  #copyFolders(source: Connection, mirrors: ReadonlyMap<string, string>): void {
    this.#setRootMirror.run(mirrors.get('') ?? null);
    for (const { path, ...row } of walkFolders(source)) {
      const { number, parent, name, kept } = row;
      this.#insertFolder.run(number, parent, name, storedTwinKeyOf(name), kept, mirrors.get(path) ?? null);
    }
  }

  /** @returns the number of each of the source's documents here */
  #copyDocuments(source: Connection, known: ReadonlyMap<string, number>): Map<number, number> {
    // Above every number of a lost document: rows that reference it must not come to reference another one.
    let next = this.#referring('document').reduce((most, { table, column }) => {
      const largest = this.connection.prepare<[], { number: number | null }>(
        `SELECT max(${column}) AS number FROM ${table}`,
      );
      return Math.max(most, (largest.get()?.number ?? 0) + 1);
    }, 1);
    for (const number of known.values()) next = Math.max(next, number + 1);
    const numbers = new Map<number, number>();
    const insert = insertInto(this.connection, 'document');
    for (const row of source.prepare<[], DocumentRow>('SELECT * FROM document ORDER BY number').iterate()) {
      const number = known.get(row.id) ?? next++;
      numbers.set(row.number, number);
      insert({ ...row, number });
    }
    return numbers;
  }

  #copyEvents(
    source: Connection,
    table: 'version' | 'relocation' | 'deletion',
    numbers: ReadonlyMap<number, number>,
    later: number,
  ): void {
    const insert = insertInto(this.connection, table);
    const order = { version: 'document, sequence', relocation: 'number', deletion: 'document, moment' }[table];
    const rows = source.prepare<[], EventRow & { document: number | null }>(`SELECT * FROM ${table} ORDER BY ${order}`);
    for (const { document, moment, ...row } of rows.iterate()) {
      insert({ ...row, document: document === null ? null : numbers.get(document), moment: moment + later });
    }
  }

  #copyFolderDeletions(source: Connection, later: number): void {
    const insert = insertInto(this.connection, 'folder_deletion');
    const rows = source.prepare<[], EventRow>('SELECT * FROM folder_deletion ORDER BY moment');
    for (const row of rows.iterate()) insert({ ...row, moment: row.moment + later });
    const insertFolder = insertInto(this.connection, 'deleted_folder');
    const folders = source.prepare<[], { location: string; deletion: number }>('SELECT * FROM deleted_folder');
    for (const { location, deletion } of folders.iterate()) insertFolder({ location, deletion: deletion + later });
    this.connection.exec("DELETE FROM meta WHERE name = 'deleted_folders_since'");
  }

  #readMirrors(): Map<string, string> {
    const mirrors = new Map(this.#mirrors.all().map(({ number, mirror }) => [number, mirror]));
    const byPath = new Map<string, string>();
    if (mirrors.size === 0) return byPath;
    const root = mirrors.get(1);
    if (root !== undefined) byPath.set('', root);
    for (const { number, path } of walkFolders(this.connection)) {
      const mirror = mirrors.get(number);
      if (mirror !== undefined) byPath.set(path, mirror);
    }
    return byPath;
  }

  /** Removes rows of other tables whose document is gone, and the rows that reference them in turn. */
  #dropOrphans(): void {
    const dropBelow = (parent: string): void => {
      for (const { table, column, to } of this.#referring(parent)) {
        this.connection.exec(
          `DELETE FROM ${table} WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT ${to} FROM ${parent})`,
        );
        dropBelow(table);
      }
    };
    dropBelow('document');
  }

  /** The columns of all tables that reference this one. */
  #referring(parent: string): { readonly table: string; readonly column: string; readonly to: string }[] {
    const tables = this.connection
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all();
    const referring = tables.flatMap(({ name }) =>
      (this.connection.pragma(`foreign_key_list(${name})`) as { table: string; from: string; to: string }[])
        .filter(({ table }) => table === parent && table !== name)
        .map(({ from, to }) => ({ table: name, column: from, to })),
    );
    // It names the document of an answer, and is no reference in the schema.
    if (parent === 'document') referring.push({ table: 'idempotency', column: 'document', to: 'number' });
    return referring;
  }
}

/** All folders but the root, each after the one above it, with their paths. */
function* walkFolders(connection: Connection): Generator<FolderRow & { readonly path: string }> {
  const below = connection.prepare<[number], FolderRow>(
    'SELECT number, parent, name, kept FROM folder WHERE parent = ? ORDER BY name',
  );
  const open = [{ number: 1, path: '' }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const row of below.all(at.number)) {
      const path = at.path === '' ? row.name : `${at.path}/${row.name}`;
      yield { ...row, path };
      open.push({ number: row.number, path });
    }
  }
}

/** Inserts whole rows, with all columns of the table. */
function insertInto(connection: Connection, table: string): (row: object) => void {
  const columns = (connection.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const insert = connection.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  );
  return (row) => void insert.run(row);
}
