import { createHash } from 'node:crypto';
import type { AuditExtent, ExtentPlaces } from '../../domain/audit-record.js';
import type { Location } from '../../domain/location.js';
import { Table } from '../statement.js';

/** What a record is about beside its target. */
export interface RecordExtent {
  /** The places that were given out, and the moment of the last event of a commit before. Null without any. */
  readonly places: { readonly set: number; readonly moment: number } | null;
  /** Numbers of the documents that were shown or changed. */
  readonly touched: readonly number[];
}

/** What a git client has that has a head. */
export interface GivenHead {
  readonly oid: string;
  readonly moment: number;
  /** What it could read then. */
  readonly reach: ExtentPlaces;
}

/** A move of a folder. */
export interface FolderMove {
  readonly moment: number;
  readonly from: Location;
  readonly to: Location;
}

/** Documents can have been erased, or are being erased, since they were shown. */
const keptDocuments = `FROM json_each(?) JOIN document d ON d.number = value
  WHERE NOT EXISTS (SELECT 1 FROM erasure e WHERE e.document = d.number AND e.phase <> 'final')`;

/** What records of the audit log gave out or changed, where that is more than one document (decision 0260). */
export class AuditExtentTable extends Table {
  readonly #findSet = this.valueStatement<[Uint8Array], number>('SELECT number FROM audit_place_set WHERE digest = ?');
  readonly #addSet = this.statement<[Uint8Array]>('INSERT INTO audit_place_set (digest) VALUES (?)');
  readonly #addFolders = this.statement<[number, string]>(
    'INSERT OR IGNORE INTO audit_place_set_folder (place_set, place) SELECT ?, value FROM json_each(?)',
  );
  readonly #addDocuments = this.statement<[number, string]>(
    `INSERT OR IGNORE INTO audit_place_set_document (place_set, document) SELECT ?, value ${keptDocuments}`,
  );
  readonly #addUse = this.statement<[number, number]>(
    'INSERT INTO audit_place_use (seq, place_set, moment) SELECT ?, ?, moment FROM last_moment',
  );
  readonly #addTouched = this.statement<[number, string]>(
    `INSERT OR IGNORE INTO audit_touched (seq, document) SELECT ?, value ${keptDocuments}`,
  );
  readonly #addHead = this.statement<[string, string, number, number]>(
    'INSERT OR REPLACE INTO audit_given_head (principal, head, place_set, moment) VALUES (?, ?, ?, ?)',
  );
  readonly #lastHead = this.statement<[string, string], { oid: string; set: number; moment: number }>(
    `SELECT head AS oid, place_set AS "set", moment
     FROM json_each(?) JOIN audit_given_head ON principal = ? AND head = value
     ORDER BY moment DESC, place_set DESC LIMIT 1`,
  );
  readonly #changedAfter = this.valueStatement<[{ after: number; not: string; most: number }], number>(
    `SELECT document FROM version WHERE moment > @after AND author <> @not
     UNION SELECT document FROM relocation WHERE document IS NOT NULL AND moment > @after
     LIMIT @most`,
  );
  readonly #foldersMovedAfter = this.statement<[number, number], FolderMove>(
    `SELECT moment, from_location AS "from", to_location AS "to" FROM relocation
     WHERE moment > ? AND document IS NULL LIMIT ?`,
  );
  readonly #idOf = this.valueStatement<[number], string>('SELECT id FROM document WHERE number = ?');
  readonly #use = this.statement<[number], { set: number; moment: number }>(
    'SELECT place_set AS "set", moment FROM audit_place_use WHERE seq = ?',
  );
  readonly #touched = this.valueStatement<[number], number>('SELECT document FROM audit_touched WHERE seq = ?');
  readonly #folders = this.valueStatement<[number], Location>(
    'SELECT place FROM audit_place_set_folder WHERE place_set = ?',
  );
  readonly #documents = this.valueStatement<[number], number>(
    'SELECT document FROM audit_place_set_document WHERE place_set = ?',
  );
  readonly #setsOfFolder = this.valueStatement<[string], number>(
    'SELECT place_set FROM audit_place_set_folder WHERE place = ?',
  );
  readonly #setsBelow = this.valueStatement<[string, string], number>(
    'SELECT DISTINCT place_set FROM audit_place_set_folder WHERE place > ? AND place < ?',
  );
  readonly #setsOfDocuments = this.valueStatement<[string], number>(
    'SELECT DISTINCT place_set FROM json_each(?) JOIN audit_place_set_document ON document = value',
  );
  readonly #lastUse = this.valueStatement<[number, number], number | null>(
    'SELECT max(seq) FROM audit_place_use WHERE place_set = ? AND seq <= ?',
  );
  readonly #firstUseSince = this.valueStatement<[number], number>(
    'SELECT seq FROM audit_place_use WHERE moment >= ? ORDER BY moment, seq LIMIT 1',
  );
  readonly #lastTouching = this.valueStatement<[number, number], number | null>(
    'SELECT max(seq) FROM audit_touched WHERE document = ? AND seq <= ?',
  );
  readonly #lastTouchingThese = this.statement<[number, string], { document: number; seq: number | null }>(
    `SELECT value AS document, (SELECT max(seq) FROM audit_touched WHERE document = value AND seq <= ?) AS seq
     FROM json_each(?)`,
  );
  readonly #moved = this.valueStatement<[string], number>(
    `SELECT value FROM json_each(?)
     WHERE EXISTS (SELECT 1 FROM relocation WHERE document = value)`,
  );
  readonly #movesOf = this.statement<[number], { moment: number; from: Location }>(
    'SELECT moment, from_location AS "from" FROM relocation WHERE document = ? ORDER BY moment DESC',
  );
  readonly #createdAt = this.valueStatement<[number], number>(
    'SELECT moment FROM version WHERE document = ? AND sequence = 1',
  );
  readonly #isDeleted = this.valueStatement<[number], number>(
    'SELECT 1 FROM document WHERE number = ? AND folder IS NULL',
  );
  readonly #foldersMovedInto = this.statement<[string, number, string, number, number, number], FolderMove>(
    `SELECT moment, from_location AS "from", to_location AS "to" FROM relocation
     WHERE document IS NULL AND (to_location, moment) > (?, ?) AND to_location < ? AND moment >= ? AND moment < ?
     ORDER BY to_location, moment LIMIT ?`,
  );
  readonly #folderMoves = this.statement<[string, number, number], FolderMove>(
    `SELECT moment, from_location AS "from", to_location AS "to" FROM relocation
     WHERE document IS NULL AND (to_location, moment) > (?, ?) ORDER BY to_location, moment LIMIT ?`,
  );
  readonly #placesAfter = this.valueStatement<[string, number], Location>(
    'SELECT DISTINCT place FROM audit_place_set_folder WHERE place > ? ORDER BY place LIMIT ?',
  );
  readonly #forgetPlaces = this.statement<[string]>(
    'DELETE FROM audit_place_set_folder WHERE place IN (SELECT value FROM json_each(?))',
  );

  /** Keeps what a record is about. To be called in the transaction of the record. */
  insert(seq: number, { places, touched = [], head }: AuditExtent): void {
    if (head !== undefined) this.#addHead.run(head.principal, head.oid, this.#keepSet(head.reach), head.moment);
    if (places !== undefined && places.folders.length + places.documents.length > 0) {
      this.#addUse.run(seq, this.#keepSet(places));
    }
    if (touched.length > 0) this.#addTouched.run(seq, JSON.stringify(touched));
  }

  #keepSet({ folders, documents }: ExtentPlaces): number {
    const folderList = JSON.stringify([...new Set(folders)].toSorted());
    const documentList = JSON.stringify([...new Set(documents)].toSorted((a, b) => a - b));
    const digest = createHash('sha256').update(folderList).update(documentList).digest();
    const known = this.#findSet.get(digest);
    if (known !== undefined) return known;
    const number = Number(this.#addSet.run(digest).lastInsertRowid);
    this.#addFolders.run(number, folderList);
    this.#addDocuments.run(number, documentList);
    return number;
  }

  /** The last of these heads that a client of a principal got. */
  lastHead(principal: string, oids: readonly string[]): GivenHead | undefined {
    const found = this.#lastHead.get(JSON.stringify(oids), principal);
    if (found === undefined) return undefined;
    const { oid, moment, set } = found;
    return { oid, moment, reach: this.readSet(set) };
  }

  /**
   * Numbers of documents that a principal wrote or moved after a moment, at most so many.
   * @param writer whose own versions do not count
   */
  changedAfter(after: number, writer: string, most: number): number[] {
    return this.#changedAfter.all({ after, not: writer, most });
  }

  /** Moves of folders after a moment, at most so many. */
  foldersMovedAfter(after: number, most: number): FolderMove[] {
    return this.#foldersMovedAfter.all(after, most);
  }

  idOf(document: number): string | undefined {
    return this.#idOf.get(document);
  }

  of(seq: number): RecordExtent {
    return { places: this.#use.get(seq) ?? null, touched: this.#touched.all(seq) };
  }

  readSet(number: number): ExtentPlaces {
    return { folders: this.#folders.all(number), documents: this.#documents.all(number) };
  }

  /** The sets that have this folder. */
  setsOfFolder(place: Location): number[] {
    return this.#setsOfFolder.all(place);
  }

  /** The sets that have a folder below this one. */
  setsBelow(folder: Location): number[] {
    // '0' is the character after '/'.
    return folder === '' ? this.#setsBelow.all('', '\u{10ffff}') : this.#setsBelow.all(`${folder}/`, `${folder}0`);
  }

  /** The sets that have one of these documents for itself. @param numbers of documents */
  setsOfDocuments(numbers: readonly number[]): number[] {
    return this.#setsOfDocuments.all(JSON.stringify(numbers));
  }

  /** The last record of a set up to a number. */
  lastUse(set: number, upTo: number): number | undefined {
    return this.#lastUse.get(set, upTo) ?? undefined;
  }

  /** The first record with places that was made when this moment had been; undefined where there is none. */
  firstUseSince(moment: number): number | undefined {
    return this.#firstUseSince.get(moment);
  }

  /** The last record that touched the document up to a number. */
  lastTouching(document: number, upTo: number): number | undefined {
    return this.#lastTouching.get(document, upTo) ?? undefined;
  }

  /** The same for each of these documents; those without one are left out. */
  lastTouchingThese(numbers: readonly number[], upTo: number): { readonly document: number; readonly seq: number }[] {
    return this.#lastTouchingThese
      .all(upTo, JSON.stringify(numbers))
      .flatMap(({ document, seq }) => (seq === null ? [] : [{ document, seq }]));
  }

  /** Those of these documents that were moved or renamed themselves. */
  movedOf(numbers: readonly number[]): number[] {
    return this.#moved.all(JSON.stringify(numbers));
  }

  /** A document's own moves and renames, the last first. */
  movesOf(document: number): { readonly moment: number; readonly from: Location }[] {
    return this.#movesOf.all(document);
  }

  /** Moment of the document's first version. */
  createdAt(document: number): number {
    return this.#createdAt.get(document) ?? 0;
  }

  isDeleted(document: number): boolean {
    return this.#isDeleted.get(document) !== undefined;
  }

  /**
   * Moves of folders to a place below this one, by that place.
   * @param span from one moment on and before another
   * @param last undefined for the first ones
   */
  foldersMovedBelow(
    folder: Location,
    { since, until }: { readonly since: number; readonly until: number },
    last: FolderMove | undefined,
    limit: number,
  ): FolderMove[] {
    const [from, end] = folder === '' ? ['', '\u{10ffff}'] : [`${folder}/`, `${folder}0`];
    return this.#foldersMovedInto.all(last?.to ?? from, last?.moment ?? 0, end, since, until, limit);
  }

  /** Moves of folders by the place that they went to. @param last undefined for the first ones */
  folderMovesAfter(last: FolderMove | undefined, limit: number): FolderMove[] {
    return this.#folderMoves.all(last?.to ?? '', last?.moment ?? 0, limit);
  }

  /** Places of all sets, in order. */
  placesAfter(place: string, limit: number): Location[] {
    return this.#placesAfter.all(place, limit);
  }

  /** Takes places out of all sets, for an erase. Nothing tells afterwards what they were. */
  dropPlaces(places: readonly Location[]): void {
    this.#forgetPlaces.run(JSON.stringify(places));
  }
}
