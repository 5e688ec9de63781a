import type { Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { storedTwinKeyOf, twinKeyOf } from '../../domain/portable-name.js';
import { Table } from '../statement.js';
import type { NewDeletion } from './deletion-table.js';
import { toVersion, versionColumns, type VersionRow } from './version-row.js';

/** A live document's row with its current version. */
export interface DocumentRow {
  readonly number: number;
  readonly id: string;
  /** Number of its folder. */
  readonly folder: number;
  readonly name: string;
  readonly createdAt: number;
  readonly current: Version;
  /** Whether it has labels, and whether it has claims: checked first, since most have neither. */
  readonly isLabelled: boolean;
  readonly isClaimed: boolean;
}

/** Where a live document is. */
export type DocumentPlace = Pick<DocumentRow, 'number' | 'folder' | 'name'>;

export interface DeletedRow {
  readonly number: number;
  readonly id: string;
  readonly location: string;
  readonly createdAt: number;
  readonly deletedAt: number;
  /** Id of the principal who deleted it, and the commit of the deletion. */
  readonly deletedBy: string;
  readonly commit: string;
  readonly sequence: number;
}

/** A document in an order by time: the time of its last version, and its name. */
export interface ChangedDocument {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly name: string;
}

/** A deleted document that can come back. */
type DeletedDocument = Pick<DeletedRow, 'number' | 'id' | 'sequence'> & { readonly location: Location };

type Row = readonly [
  ...VersionRow,
  number: number,
  id: string,
  folder: number,
  name: string,
  createdAt: number,
  isLabelled: number,
  isClaimed: number,
];

const select = `SELECT ${versionColumns}, d.number, d.id, d.folder, d.name, d.created_at,
    EXISTS (SELECT 1 FROM label l WHERE l.document = d.number),
    EXISTS (SELECT 1 FROM claim c WHERE c.document = d.number)
  FROM document d
  JOIN version v ON v.document = d.number AND v.sequence = d.sequence
  JOIN principal p ON p.id = v.author`;

const toDocument = (row: Row): DocumentRow => ({
  current: toVersion(row),
  number: row[14],
  id: row[15],
  folder: row[16],
  name: row[17],
  createdAt: row[18],
  isLabelled: row[19] !== 0,
  isClaimed: row[20] !== 0,
});

/** Documents, live and deleted. */
export class DocumentTable extends Table {
  readonly #at = this.arrayStatement<[number, string], Row>(`${select} WHERE d.folder = ? AND d.name = ?`);
  readonly #idAt = this.statement<[number, string], { id: string; folder: number | null; name: string }>(
    `SELECT id, folder, name FROM document WHERE number = coalesce(
       (SELECT number FROM document WHERE folder = ? AND name = ?), (SELECT min(number) FROM document))`,
  );
  readonly #deletedOfThese = this.valueStatement<[string, string], string>(
    `SELECT d.id FROM json_each(?) granted CROSS JOIN document d ON d.id = granted.value
     WHERE d.deleted_location = ?`,
  );
  readonly #byId = this.arrayStatement<[string], Row>(`${select} WHERE d.id = ? AND d.folder IS NOT NULL`);
  readonly #ofThese = this.arrayStatement<[string], Row>(
    `${select.replace('FROM document d', 'FROM json_each(?) g CROSS JOIN document d ON d.id = g.value')}
     WHERE d.folder IS NOT NULL`,
  );
  readonly #byNumber = this.arrayStatement<[number], Row>(`${select} WHERE d.number = ? AND d.folder IS NOT NULL`);
  readonly #inFolder = this.arrayStatement<[number, string, number], Row>(
    `${select} WHERE d.folder = ? AND d.name > ? ORDER BY d.name LIMIT ?`,
  );
  readonly #byTwinKey = this.valueStatement<[number, string, number], string>(
    'SELECT name FROM document WHERE folder = ? AND twin_key = ? LIMIT ?',
  );
  readonly #inFolderBack = this.arrayStatement<[number, string | Uint8Array, number], Row>(
    `${select} WHERE d.folder = ? AND d.name < ? ORDER BY d.name DESC LIMIT ?`,
  );
  readonly #changedAt = this.arrayStatement<[number, number, string, number], Row>(
    `${select} WHERE d.folder = ? AND d.changed_at = ? AND d.name > ? ORDER BY d.name LIMIT ?`,
  );
  readonly #changedAtBack = this.arrayStatement<[number, number, string, number], Row>(
    `${select} WHERE d.folder = ? AND d.changed_at = ? AND d.name < ? ORDER BY d.name DESC LIMIT ?`,
  );
  readonly #changedBefore = this.arrayStatement<[number, number, number], Row>(
    `${select} WHERE d.folder = ? AND d.changed_at < ? ORDER BY d.changed_at DESC, d.name LIMIT ?`,
  );
  readonly #changedSince = this.arrayStatement<[number, number, number], Row>(
    `${select} WHERE d.folder = ? AND d.changed_at > ? ORDER BY d.changed_at, d.name DESC LIMIT ?`,
  );
  readonly #insert = this.statement(
    'INSERT INTO document (id, folder, name, twin_key, created_at, sequence) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #advance = this.statement('UPDATE document SET sequence = ? WHERE number = ?');
  readonly #place = this.statement('UPDATE document SET folder = ?, name = ?, twin_key = ? WHERE number = ?');
  readonly #placeAll = this.statement<[string]>(
    `UPDATE document SET folder = r.value ->> 1, name = r.value ->> 2, twin_key = r.value ->> 3
     FROM json_each(?) r WHERE document.number = r.value ->> 0`,
  );
  readonly #markDeleted = this.statement(
    `UPDATE document SET folder = NULL, deleted_at = ?, deleted_by = ?, deleted_commit = ?, deleted_location = ?,
       deleted_moment = ?
     WHERE number = ?`,
  );
  readonly #markLive = this.statement<[string]>(
    `UPDATE document SET folder = r.value ->> 1, name = r.value ->> 2, twin_key = r.value ->> 3,
       sequence = r.value ->> 4, deleted_at = NULL, deleted_by = NULL, deleted_commit = NULL, deleted_location = NULL
     FROM json_each(?) r WHERE document.number = r.value ->> 0`,
  );
  readonly #deletedAt = this.statement<[string], DeletedRow>(
    // By the history, not by the clock, which may have been set back between two deletions.
    `SELECT number, id, deleted_location AS location, created_at AS createdAt, deleted_at AS deletedAt,
       deleted_by AS deletedBy, deleted_commit AS "commit", sequence
     FROM document d WHERE deleted_location = ?
     ORDER BY (SELECT max(e.moment) FROM deletion e WHERE e.document = d.number) DESC, deleted_at DESC, number DESC`,
  );
  readonly #deletedWithin = this.valueStatement<[string, string, string], number>(
    `SELECT EXISTS (SELECT 1 FROM document WHERE deleted_location = ?)
       OR EXISTS (SELECT 1 FROM document WHERE deleted_location >= ? AND deleted_location < ?)`,
  );
  readonly #deleted = this.statement<[number], DeletedDocument>(
    `SELECT number, id, sequence, deleted_location AS location FROM document
     WHERE number = ? AND folder IS NULL AND deleted_location IS NOT NULL`,
  );
  readonly #all = this.arrayStatement<[number, number], Row>(
    `${select} WHERE d.number > ? AND d.folder IS NOT NULL ORDER BY d.number LIMIT ?`,
  );
  readonly #placesAfter = this.statement<[number, number], DocumentPlace>(
    'SELECT number, folder, name FROM document WHERE number > ? AND folder IS NOT NULL ORDER BY number LIMIT ?',
  );
  readonly #countLive = this.valueStatement<[], number>(
    'SELECT count(*) AS count FROM document WHERE folder IS NOT NULL',
  );

  at(folder: number, name: string): DocumentRow | undefined {
    const row = this.#at.get(folder, name);
    return row === undefined ? undefined : toDocument(row);
  }

  /**
   * Only the id of the live document there. Without one it reads some other row instead: finding nothing is quicker
   * than finding a row, and the time would separate hidden from absent.
   */
  idAt(folder: number, name: string): string | undefined {
    const row = this.#idAt.get(folder, name);
    return row?.folder === folder && row.name === name ? row.id : undefined;
  }

  /**
   * Those of these documents that were deleted at the location; searched by the ids, whatever else was deleted there.
   */
  deletedOfThese(ids: readonly string[], location: string): string[] {
    return this.#deletedOfThese.all(JSON.stringify(ids), location);
  }

  /** The live ones among these, in no order. */
  ofThese(ids: readonly string[]): DocumentRow[] {
    return this.#ofThese.all(JSON.stringify(ids)).map(toDocument);
  }

  /** A live document by its id. */
  byId(id: string): DocumentRow | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : toDocument(row);
  }

  /** A live document by its number. */
  byNumber(number: number): DocumentRow | undefined {
    const row = this.#byNumber.get(number);
    return row === undefined ? undefined : toDocument(row);
  }

  /** Live documents directly in the folder, by name, after `after`. */
  inFolder(folder: number, after: string, limit: number): DocumentRow[] {
    return this.#inFolder.all(folder, after, limit).map(toDocument);
  }

  /** Names in the folder that Windows and macOS take for this one, without the name itself. */
  twinsOf(folder: number, name: string, limit: number): string[] {
    const key = twinKeyOf(name);
    return [key, ...this.#byTwinKey.all(folder, key, limit)].filter(
      (other, index) => other !== name && (index > 0 || this.idAt(folder, other) !== undefined),
    );
  }

  /** Live documents directly in the folder, by name from the last to the first, before `before` ('' for all). */
  inFolderBack(folder: number, before: string, limit: number): DocumentRow[] {
    // A blob is greater than every text.
    return this.#inFolderBack.all(folder, before === '' ? new Uint8Array() : before, limit).map(toDocument);
  }

  /**
   * Live documents directly in the folder by the time of their last version, the newest first. Those of one time come
   * by name.
   * @param after the last one read; null for all
   */
  newestInFolder(folder: number, after: ChangedDocument | null, limit: number): DocumentRow[] {
    const same = after === null ? [] : this.#changedAt.all(folder, after.at, after.name, limit);
    const rest = this.#changedBefore.all(folder, after?.at ?? Number.MAX_SAFE_INTEGER, limit - same.length);
    return [...same, ...rest].map(toDocument);
  }

  /** The same in the opposite order. */
  oldestInFolder(folder: number, after: ChangedDocument | null, limit: number): DocumentRow[] {
    const same = after === null ? [] : this.#changedAtBack.all(folder, after.at, after.name, limit);
    const rest = this.#changedSince.all(folder, after?.at ?? -1, limit - same.length);
    return [...same, ...rest].map(toDocument);
  }

  /** @returns the new document's number */
  insert(id: string, folder: number, name: string, createdAt: number): number {
    return Number(this.#insert.run(id, folder, name, storedTwinKeyOf(name), createdAt, 1).lastInsertRowid);
  }

  /** Makes the version with this sequence the current one. */
  advance(number: number, sequence: number): void {
    this.#advance.run(sequence, number);
  }

  /** Moves or renames a live document. */
  place(number: number, folder: number, name: string): void {
    this.#place.run(folder, name, storedTwinKeyOf(name), number);
  }

  /** The same for many, in one statement. */
  placeAll(documents: readonly { readonly number: number; readonly folder: number; readonly name: string }[]): void {
    const rows = documents.map(({ number, folder, name }) => [number, folder, name, storedTwinKeyOf(name)]);
    this.#placeAll.run(JSON.stringify(rows));
  }

  markDeleted(number: number, location: Location, { at, author, commit, moment }: NewDeletion): void {
    this.#markDeleted.run(at, author, commit, location, moment, number);
  }

  /** Makes deleted documents live, in one statement. */
  markAllLive(
    documents: readonly {
      readonly number: number;
      readonly folder: number;
      readonly name: string;
      readonly sequence: number;
    }[],
  ): void {
    const rows = documents.map(({ number, folder, name, sequence }) => [
      number,
      folder,
      name,
      storedTwinKeyOf(name),
      sequence,
    ]);
    this.#markLive.run(JSON.stringify(rows));
  }

  /** Documents deleted at this location, the last deletion first. */
  deletedAt(location: string): DeletedRow[] {
    return this.#deletedAt.all(location);
  }

  /** Whether a document or folder deleted at the place, or below it, can still come back there. */
  isDeletedWithin(place: Location): boolean {
    // '0' is the character after '/': the range holds exactly the paths that start with `place/`.
    return this.#deletedWithin.get(place, `${place}/`, `${place}0`) === 1;
  }

  /** A deleted document by its number. */
  deleted(number: number): DeletedDocument | undefined {
    return this.#deleted.get(number);
  }

  /** How many live documents there are; takes time in proportion to them. */
  countLive(): number {
    return this.#countLive.get() ?? 0;
  }

  /** All live documents in batches, by number: for verification and rebuilding, never for a caller. */
  afterNumber(number: number, limit: number): DocumentRow[] {
    return this.#all.all(number, limit).map(toDocument);
  }

  /** Only where they are, in a tenth of the time. */
  placesAfter(number: number, limit: number): DocumentPlace[] {
    return this.#placesAfter.all(number, limit);
  }
}
