import { storedTwinKeyOf, twinKeyOf } from '../../domain/portable-name.js';
import { Table } from '../statement.js';

export interface FolderRow {
  readonly number: number;
  /** Number of the folder above; 0 for the root. */
  readonly parent: number;
  readonly name: string;
  readonly kept: boolean;
  /** Id of the connector that mirrors into it, or null. */
  readonly mirror: string | null;
}

/** An array: every path is walked down by such rows. */
type Row = readonly [number: number, parent: number, name: string, kept: number, mirror: string | null];

const columns = 'number, parent, name, kept, mirror';
const toFolder = (row: Row): FolderRow => ({
  number: row[0],
  parent: row[1],
  name: row[2],
  kept: row[3] !== 0,
  mirror: row[4],
});

export const rootFolderNumber = 1;

/** All folders at or below one, with the bytes of their paths beyond its own. */
const below = `WITH RECURSIVE below (number, bytes) AS (
    SELECT ?, 0
    UNION ALL
    SELECT f.number, b.bytes + 1 + octet_length(f.name) FROM folder f JOIN below b ON f.parent = b.number
  )`;

/** The tree of folders. A row is there exactly while the folder is: something live below it, or kept. */
export class FolderTable extends Table {
  readonly #longestBelow = this.valueStatement<[number], number>(`${below} SELECT max(bytes) AS bytes FROM below`);
  readonly #longestDocumentBelow = this.valueStatement<[number], number | null>(
    `${below} SELECT max(b.bytes + 1 + octet_length(d.name)) AS bytes FROM below b JOIN document d ON d.folder = b.number`,
  );
  readonly #holdsKept = this.valueStatement<[number], number>(
    `${below} SELECT EXISTS (SELECT 1 FROM below JOIN folder f USING (number) WHERE f.kept <> 0 OR f.mirror IS NOT NULL)
       AS found`,
  );
  readonly #byTwinKey = this.valueStatement<[number, string, number], string>(
    'SELECT name FROM folder WHERE parent = ? AND twin_key = ? LIMIT ?',
  );
  readonly #find = this.arrayStatement<[number], Row>(`SELECT ${columns} FROM folder WHERE number = ?`);
  readonly #child = this.arrayStatement<[number, string], Row>(
    `SELECT ${columns} FROM folder
     WHERE number = coalesce((SELECT number FROM folder WHERE parent = ? AND name = ?), ${rootFolderNumber})`,
  );
  readonly #children = this.arrayStatement<[number, string, number], Row>(
    `SELECT ${columns} FROM folder WHERE parent = ? AND name > ? ORDER BY name LIMIT ?`,
  );
  readonly #childrenBack = this.arrayStatement<[number, string | Uint8Array, number], Row>(
    `SELECT ${columns} FROM folder WHERE parent = ? AND name < ? ORDER BY name DESC LIMIT ?`,
  );
  readonly #insert = this.statement('INSERT INTO folder (parent, name, twin_key) VALUES (?, ?, ?)');
  readonly #delete = this.statement('DELETE FROM folder WHERE number = ?');
  readonly #place = this.statement('UPDATE folder SET parent = ?, name = ?, twin_key = ? WHERE number = ?');
  readonly #setKept = this.statement('UPDATE folder SET kept = ? WHERE number = ?');
  readonly #setMirror = this.statement('UPDATE folder SET mirror = ? WHERE number = ?');
  readonly #mirrored = this.arrayStatement<[], Row>(`SELECT ${columns} FROM folder WHERE mirror IS NOT NULL`);
  readonly #placesAfter = this.statement<[number, number], { number: number; folder: number; name: string }>(
    'SELECT number, parent AS folder, name FROM folder WHERE number > ? ORDER BY number LIMIT ?',
  );
  readonly #isEmpty = this.valueStatement<[number, number], number>(
    `SELECT NOT EXISTS (SELECT 1 FROM document WHERE folder = ?)
        AND NOT EXISTS (SELECT 1 FROM folder WHERE parent = ?) AS empty`,
  );

  /** Whether the folder, or one below it, stays when it is empty. */
  holdsKept(number: number): boolean {
    return this.#holdsKept.get(number) === 1;
  }

  /** Bytes of the deepest folder's path beyond the path of this one; 0 when it holds no folder. */
  longestBelow(number: number): number {
    return this.#longestBelow.get(number) ?? 0;
  }

  /** The same for the deepest document. Reads every document in it and below. */
  longestDocumentBelow(number: number): number {
    return this.#longestDocumentBelow.get(number) ?? 0;
  }

  find(number: number): FolderRow | undefined {
    const row = this.#find.get(number);
    return row === undefined ? undefined : toFolder(row);
  }

  /**
   * The folder of that name in the parent, which need not exist. Without one the root's row is read instead: finding
   * nothing is quicker than finding a row, and the time would separate hidden from absent.
   */
  child(parent: number, name: string): FolderRow | undefined {
    const row = this.#child.get(parent, name);
    return row === undefined || row[0] === rootFolderNumber ? undefined : toFolder(row);
  }

  /** Children by name, after `after` ('' for all). */
  children(parent: number, after: string, limit: number): FolderRow[] {
    return this.#children.all(parent, after, limit).map(toFolder);
  }

  /** Names of children that Windows and macOS take for this one, without the name itself. */
  twinsOf(parent: number, name: string, limit: number): string[] {
    const key = twinKeyOf(name);
    return [key, ...this.#byTwinKey.all(parent, key, limit)].filter(
      (other, index) => other !== name && (index > 0 || this.child(parent, other) !== undefined),
    );
  }

  /** Children by name from the last to the first, before `before` ('' for all). */
  childrenBack(parent: number, before: string, limit: number): FolderRow[] {
    // A blob is greater than every text.
    return this.#childrenBack.all(parent, before === '' ? new Uint8Array() : before, limit).map(toFolder);
  }

  /** @returns the new folder's number */
  insert(parent: number, name: string): number {
    return Number(this.#insert.run(parent, name, storedTwinKeyOf(name)).lastInsertRowid);
  }

  delete(number: number): void {
    this.#delete.run(number);
  }

  place(number: number, parent: number, name: string): void {
    this.#place.run(parent, name, storedTwinKeyOf(name), number);
  }

  setKept(number: number, kept: boolean): void {
    this.#setKept.run(kept ? 1 : 0, number);
  }

  setMirror(number: number, mirror: string | null): void {
    this.#setMirror.run(mirror, number);
  }

  /** Where folders are, in batches, by number, without the root. */
  placesAfter(number: number, limit: number): { number: number; folder: number; name: string }[] {
    return this.#placesAfter.all(Math.max(number, rootFolderNumber), limit);
  }

  /** The folders with a mirroring connector. */
  mirrored(): FolderRow[] {
    return this.#mirrored.all().map(toFolder);
  }

  /** Whether nothing live and no folder lies directly in it. */
  isEmpty(number: number): boolean {
    return this.#isEmpty.get(number, number) === 1;
  }
}
