import type { Version } from '../../domain/document.js';
import type { VersionOperation } from '../../domain/history-entry.js';
import type { Location } from '../../domain/location.js';
import type { Connection } from '../driver.js';
import { Table } from '../statement.js';
import { toVersion, versionColumns, type VersionRow } from './version-row.js';

/** A live document in a reach. */
export interface ReachedDocument {
  readonly number: number;
  readonly id: string;
  readonly place: Location;
  /** Number of its current version. */
  readonly sequence: number;
}

/** A document with the versions that are wanted of it. */
export interface WantedDocument {
  readonly number: number;
  readonly place: Location;
  /** The versions above this number. */
  readonly after: number;
}

/** A wanted version, at the place where its document is now. */
export interface WantedVersion {
  readonly version: Version;
  readonly place: Location;
  readonly operation: VersionOperation;
  /** Its commit's number on main: versions of one moment belong together. */
  readonly moment: number;
}

/** What became of a document. */
export interface DocumentFate {
  readonly number: number;
  /** Whether it lives, at a place outside what was added. */
  readonly isLive: boolean;
  /** Where it was deleted. Null while it lives, and when it is being erased. */
  readonly deletedAt: Location | null;
}

type DocumentTuple = readonly [number: number, id: string, place: string, sequence: number];
type WantedTuple = readonly [...VersionRow, operation: VersionOperation, moment: number, place: string];

const documentsAtOnce = 1000;

const beingErased = "SELECT document FROM erasure WHERE phase <> 'final' AND document IS NOT NULL";

/** The tables are the connection's own, and gone with it. They spill into a file without a name. */
const temporaryTables = `
  CREATE TEMP TABLE reached (number INTEGER PRIMARY KEY, id TEXT NOT NULL, place TEXT NOT NULL, sequence INTEGER NOT NULL);
  CREATE TEMP TABLE wanted_document (number INTEGER PRIMARY KEY, place TEXT NOT NULL, after INTEGER NOT NULL);
  CREATE TEMP TABLE wanted (rank INTEGER PRIMARY KEY, document INTEGER NOT NULL, sequence INTEGER NOT NULL, moment INTEGER NOT NULL);
`;

/**
 * The documents of one reach and the versions wanted of them, however many, in little memory. For a connection that may
 * have tables of its own.
 */
export class ReachedTable extends Table {
  readonly #addFolder = this.statement<[string, number]>(
    `INSERT OR IGNORE INTO temp.reached (number, id, place, sequence)
     WITH RECURSIVE below (number, prefix) AS (
       SELECT f.number, CASE f.number WHEN 1 THEN '' ELSE place.value || '/' END
         FROM (SELECT ? AS value) place JOIN folder f ON f.number = ?
       UNION ALL
       SELECT f.number, b.prefix || f.name || '/' FROM below b CROSS JOIN folder f ON f.parent = b.number
     )
     SELECT d.number, d.id, b.prefix || d.name, d.sequence FROM below b CROSS JOIN document d ON d.folder = b.number
     WHERE d.number NOT IN (${beingErased})`,
  );
  readonly #addDocuments = this.statement<[string]>(
    `INSERT OR IGNORE INTO temp.reached (number, id, place, sequence)
     SELECT d.number, d.id, r.value ->> 1, d.sequence FROM json_each(?) r CROSS JOIN document d ON d.number = r.value ->> 0
     WHERE d.folder IS NOT NULL AND d.number NOT IN (${beingErased})`,
  );
  readonly #after = this.arrayStatement<[number, number], DocumentTuple>(
    'SELECT number, id, place, sequence FROM temp.reached WHERE number > ? ORDER BY number LIMIT ?',
  );
  readonly #fate = this.statement<[string], Omit<DocumentFate, 'isLive'> & { isLive: number }>(
    `SELECT number, folder IS NOT NULL AS isLive, CASE WHEN number IN (${beingErased}) THEN NULL ELSE deleted_location END AS deletedAt
     FROM document WHERE id = ?`,
  );
  readonly #want = this.statement<[string]>(
    `INSERT INTO temp.wanted_document (number, place, after)
     SELECT r.value ->> 0, r.value ->> 1, r.value ->> 2 FROM json_each(?) r`,
  );
  // The rows get their ranks in the order in which they come.
  readonly #rank = this.statement<[]>(
    `INSERT INTO temp.wanted (document, sequence, moment)
     SELECT w.number, v.sequence, v.moment
     FROM temp.wanted_document w CROSS JOIN version v ON v.document = w.number AND v.sequence > w.after
     ORDER BY v.moment, w.place, v.sequence`,
  );
  readonly #lastOfMoment = this.valueStatement<[number], number | null>(
    'SELECT max(rank) FROM temp.wanted WHERE moment = (SELECT moment FROM temp.wanted WHERE rank = ?)',
  );
  readonly #lastRank = this.valueStatement<[], number | null>('SELECT max(rank) FROM temp.wanted');
  readonly #contents = this.valueStatement<[number, number], string>(
    `SELECT v.blob_oid FROM temp.wanted w
     CROSS JOIN temp.wanted_document d ON d.number = w.document
     CROSS JOIN version v ON v.document = w.document AND v.sequence = w.sequence
     WHERE w.rank > ? AND w.rank <= ? ORDER BY d.place, w.sequence`,
  );
  readonly #bytes = this.valueStatement<[number, number], number>(
    `SELECT coalesce(sum(v.size), 0) FROM temp.wanted w
     CROSS JOIN version v ON v.document = w.document AND v.sequence = w.sequence
     WHERE w.rank > ? AND w.rank <= ?`,
  );
  readonly #versions = this.arrayStatement<[number, number], WantedTuple>(
    `SELECT ${versionColumns}, v.operation, v.moment, d.place FROM temp.wanted w
     CROSS JOIN temp.wanted_document d ON d.number = w.document
     CROSS JOIN version v ON v.document = w.document AND v.sequence = w.sequence
     CROSS JOIN principal p ON p.id = v.author
     WHERE w.rank > ? AND w.rank <= ? ORDER BY w.rank`,
  );

  constructor(connection: Connection) {
    super(connection);
    connection.exec(temporaryTables);
  }

  /** Adds the live documents in a folder and below. Those being erased are no more. */
  addFolder(number: number, location: Location): void {
    this.#addFolder.run(location, number);
  }

  /** Adds single documents. */
  addDocuments(documents: readonly { readonly number: number; readonly location: Location }[]): void {
    this.#addDocuments.run(JSON.stringify(documents.map(({ number, location }) => [number, location])));
  }

  /** Every added document, once, in no order. Versions may be asked for meanwhile. */
  *all(): Generator<ReachedDocument> {
    // In batches: SQLite writes nothing while rows are being read.
    for (let rows = this.#after.all(0, documentsAtOnce); rows.length > 0;) {
      for (const [number, id, place, sequence] of rows) yield { number, id, place: place as Location, sequence };
      rows = this.#after.all(rows.at(-1)?.[0] ?? 0, documentsAtOnce);
    }
  }

  /** What became of a document that was not added. Undefined when it is gone. */
  fateOf(id: string): DocumentFate | undefined {
    const fate = this.#fate.get(id);
    return fate === undefined ? undefined : { ...fate, isLive: fate.isLive !== 0 };
  }

  /** Asks for versions of a document. */
  want(documents: readonly WantedDocument[]): void {
    this.#want.run(JSON.stringify(documents.map(({ number, place, after }) => [number, place, after])));
  }

  /** Ranks the wanted versions by moment and place, from 1 on. Once, after all of them were asked for. */
  rank(): void {
    this.#rank.run();
  }

  /** The rank up to which to read after this one: about so many versions, and whole moments. Null at the end. */
  boundaryAfter(rank: number, about: number): number | null {
    const last = this.#lastRank.get() ?? 0;
    if (rank >= last) return null;
    return this.#lastOfMoment.get(Math.min(rank + about, last)) ?? last;
  }

  /** The contents of the wanted versions with after < rank <= upTo: by place, and the older of a document first. */
  contents(after: number, upTo: number): IterableIterator<string> {
    return this.#contents.iterate(after, upTo);
  }

  /** Bytes of the same contents, each as often as it is wanted. */
  bytes(after: number, upTo: number): number {
    return this.#bytes.get(after, upTo) ?? 0;
  }

  /** The wanted versions with after < rank <= upTo, in their order. */
  *versions(after: number, upTo: number): Generator<WantedVersion> {
    for (const row of this.#versions.iterate(after, upTo)) {
      yield { version: toVersion(row), operation: row[14], moment: row[15], place: row[16] as Location };
    }
  }
}
