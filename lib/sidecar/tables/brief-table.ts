import type { BriefMark, Moment } from '../../domain/brief.js';
import type { Author } from '../../domain/principal.js';
import type { Location } from '../../domain/location.js';
import type { PrincipalKind } from '../../domain/principal.js';
import { Table } from '../statement.js';

/** The last event of a document, a move of a folder, or a deletion: a line in the order of all events. */
export interface ChangeRow {
  readonly type: 'document' | 'relocation' | 'deletion';
  readonly moment: number;
  /** Orders the events of one commit: the document's number, for the move of a folder its own. */
  readonly place: number;
  /** Null when a folder went. */
  readonly document: { readonly number: number; readonly id: string; readonly name: string } | null;
  /** Number of the folder of the document; null when it is deleted. */
  readonly folder: number | null;
  /** For deletions: the document's location before, and the folder that went with everything in it. */
  readonly deletedFrom: Location | null;
  readonly deletedFolder: Location | null;
}

/** A folder that was moved, with everything in it. */
export interface FolderRelocation {
  readonly moment: number;
  readonly at: number;
  readonly author: Author;
  readonly from: Location;
  readonly to: Location;
}

/** The documents of a folder whose last event is of one moment. */
export interface ChangedFolder {
  readonly folder: number;
  readonly documents: number;
  /** Those of them that were created at that moment. */
  readonly created: number;
  /** The number of one of them. */
  readonly document: number;
}

interface Range {
  since: number;
  moment: number;
  place: number;
  limit: number;
}

interface Row {
  type: ChangeRow['type'];
  moment: number;
  place: number;
  document: number | null;
  id: string | null;
  name: string | null;
  folder: number | null;
  location: string | null;
  deleted_folder: string | null;
}

interface MarkRow extends Moment {
  readonly addressed: number;
  readonly from_moment: number;
  readonly from_at: number;
  readonly from_addressed: number;
}

interface RelocationRow {
  moment: number;
  at: number;
  author: string;
  author_kind: PrincipalKind;
  author_name: string;
  from_location: string;
  to_location: string;
}

/** Leaves out a document that is being erased: nothing more may be reported of it. */
const isKept = (table: string, column = 'document'): string =>
  `NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.document = ${table}.${column})`;

/**
 * All find their rows by an index, in order. The cost is that of the events since then, however long the history is.
 */
export const briefStatements = {
  changes: `SELECT e.*, d.id, d.name, d.folder FROM (
      SELECT 'document' AS type, last_moment AS moment, number AS place, number AS document, NULL AS location,
          NULL AS deleted_folder
        FROM document WHERE last_moment > @since AND last_moment <= @moment AND (last_moment, number) < (@moment, @place)
          AND folder IS NOT NULL AND ${isKept('document', 'number')}
      UNION ALL
      SELECT 'relocation', moment, number, document, NULL, NULL
        FROM relocation WHERE document IS NULL AND moment > @since AND (moment, number) < (@moment, @place)
      UNION ALL
      SELECT 'deletion', moment, document, document, location, folder
        FROM deletion WHERE moment > @since AND (moment, document) < (@moment, @place) AND ${isKept('deletion')}
      ORDER BY moment DESC, place DESC LIMIT @limit
    ) e LEFT JOIN document d ON d.number = e.document ORDER BY e.moment DESC, e.place DESC`,
  changedFolders: `SELECT folder, count(*) AS documents, sum(first_moment = last_moment) AS created,
      max(number) FILTER (WHERE first_moment = last_moment) AS document
    FROM document WHERE last_moment = ? AND folder IS NOT NULL AND ${isKept('document', 'number')} GROUP BY folder`,
  folderRelocations: `SELECT r.moment, r.at, r.author, r.from_location, r.to_location,
      p.kind AS author_kind, p.display_name AS author_name
    FROM relocation r JOIN principal p ON p.id = r.author
    WHERE r.document IS NULL AND r.moment > ? ORDER BY r.moment`,
  versionFrom: 'SELECT moment, at FROM version WHERE moment >= ? ORDER BY moment LIMIT 1',
  relocationFrom: 'SELECT moment, at FROM relocation WHERE moment >= ? ORDER BY moment LIMIT 1',
  deletionFrom: 'SELECT moment, at FROM deletion WHERE moment >= ? ORDER BY moment LIMIT 1',
  isWriter: `SELECT EXISTS (SELECT 1 FROM
      (SELECT author FROM version WHERE document = ? ORDER BY sequence DESC LIMIT ?) WHERE author = ?) AS wrote`,
  authors: `SELECT v.author, p.kind, p.display_name FROM version v JOIN principal p ON p.id = v.author
    WHERE v.document = ? ORDER BY v.sequence DESC LIMIT ?`,
  deletesOlder: `SELECT EXISTS (SELECT 1 FROM deletion x JOIN document d ON d.number = x.document
      WHERE x.moment = ? AND x.folder = ? AND d.first_moment <= ?)`,
  momentOf: 'SELECT moment FROM version WHERE document = ? AND sequence = ?',
} as const;

/** Events since a moment, and the moment of each principal's last brief. */
export class BriefTable extends Table {
  readonly #changes = this.statement<[Range], Row>(briefStatements.changes);
  readonly #changedFolders = this.statement<[number], ChangedFolder>(briefStatements.changedFolders);
  readonly #folderRelocations = this.statement<[number], RelocationRow>(briefStatements.folderRelocations);
  readonly #lastMoments = (['version', 'relocation', 'deletion'] as const).map((table) =>
    this.valueStatement<[], number | null>(`SELECT max(moment) AS moment FROM ${table}`),
  );
  readonly #from = (['versionFrom', 'relocationFrom', 'deletionFrom'] as const).map((name) =>
    this.statement<[number], Moment>(briefStatements[name]),
  );
  readonly #isWriter = this.valueStatement<[number, number, string], number>(briefStatements.isWriter);
  readonly #authors = this.arrayStatement<[number, number], readonly [string, PrincipalKind, string]>(
    briefStatements.authors,
  );
  readonly #deletesOlder = this.valueStatement<[number, string, number], number>(briefStatements.deletesOlder);
  readonly #momentOf = this.valueStatement<[number, number], number>(briefStatements.momentOf);
  readonly #mark = this.statement<[string], MarkRow>('SELECT * FROM brief_mark WHERE principal = ?');
  readonly #setMark = this.statement(
    `INSERT OR REPLACE INTO brief_mark (principal, from_moment, from_at, from_addressed, moment, at, addressed)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );

  /** The events after the moment `since` and before (moment, place), the last first. */
  changesBefore(since: number, { moment, place }: Pick<ChangeRow, 'moment' | 'place'>, limit: number): ChangeRow[] {
    return this.#changes.all({ since, moment, place, limit }).map((row) => ({
      type: row.type,
      moment: row.moment,
      place: row.place,
      document:
        row.document === null || row.id === null || row.name === null
          ? null
          : { number: row.document, id: row.id, name: row.name },
      folder: row.folder,
      deletedFrom: row.location as Location | null,
      deletedFolder: row.deleted_folder as Location | null,
    }));
  }

  /** Folders with documents whose last event is of that moment. */
  changedFolders(moment: number): ChangedFolder[] {
    return this.#changedFolders.all(moment);
  }

  /** Whether a document went with the folder at that moment that had been made by the moment `since`. */
  deletesOlder(moment: number, folder: Location, since: number): boolean {
    return this.#deletesOlder.get(moment, folder, since) === 1;
  }

  /** Renames and moves of folders after the moment, in order. */
  folderRelocationsAfter(moment: number): FolderRelocation[] {
    return this.#folderRelocations.all(moment).map((row) => ({
      moment: row.moment,
      at: row.at,
      author: { id: row.author, kind: row.author_kind, displayName: row.author_name },
      from: row.from_location as Location,
      to: row.to_location as Location,
    }));
  }

  /** The moment of the last event; 0 when there is none. */
  lastMoment(): number {
    return Math.max(0, ...this.#lastMoments.map((statement) => statement.get() ?? 0));
  }

  /**
   * The moment of the last event before that time, by binary search: time goes up with moments, except where a clock
   * was set back.
   */
  lastMomentBefore(time: number): number {
    let before = 0;
    for (let from = this.lastMoment() + 1; before + 1 < from;) {
      const middle = Math.floor((before + from) / 2);
      const next = this.#firstFrom(middle);
      if (next === undefined || next.at >= time) from = middle;
      else before = next.moment;
    }
    return before;
  }

  /** The first event at the moment or later. */
  #firstFrom(moment: number): Moment | undefined {
    const found = this.#from.flatMap((statement) => statement.get(moment) ?? []);
    return found.reduce<Moment | undefined>(
      (first, each) => (first === undefined || each.moment < first.moment ? each : first),
      undefined,
    );
  }

  /** Sequence of the document's last version at or before the moment, by binary search; 0 when there was none. */
  sequenceAt(document: number, newest: number, moment: number): number {
    let before = 0;
    for (let after = newest + 1; before + 1 < after;) {
      const middle = Math.floor((before + after) / 2);
      if ((this.#momentOf.get(document, middle) ?? 0) > moment) after = middle;
      else before = middle;
    }
    return before;
  }

  /** The authors of the document's last `most` versions, the latest first, each once. */
  authors(document: number, most: number): Author[] {
    const found = new Map(this.#authors.all(document, most).map((row) => [row[0], row]));
    return [...found.values()].map(([id, kind, displayName]) => ({ id, kind, displayName }));
  }

  /** Whether one of the document's last `most` versions is the principal's. */
  isWriter(document: number, principal: string, most: number): boolean {
    return this.#isWriter.get(document, most, principal) === 1;
  }

  /** The extent of the principal's last brief. */
  mark(principal: string): BriefMark | undefined {
    const row = this.#mark.get(principal);
    return row === undefined
      ? undefined
      : {
          from: { moment: row.from_moment, at: row.from_at, addressed: row.from_addressed },
          until: { moment: row.moment, at: row.at, addressed: row.addressed },
        };
  }

  setMark(principal: string, { from, until }: BriefMark): void {
    const bounds = [from, until].flatMap(({ moment, at, addressed }) => [moment, at, addressed]);
    this.#setMark.run(principal, ...bounds);
  }
}
