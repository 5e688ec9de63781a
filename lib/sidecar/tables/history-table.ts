import type { Version } from '../../domain/document.js';
import type { Author } from '../../domain/principal.js';
import type { VersionOperation } from '../../domain/history-entry.js';
import type { Location } from '../../domain/location.js';
import type { PrincipalKind } from '../../domain/principal.js';
import { Table } from '../statement.js';
import { toVersion, versionColumns, type VersionRow } from './version-row.js';

/** An event with its moment: its place in the order of all events. */
interface Happened {
  readonly moment: number;
  readonly author: Author;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface HistoricVersion extends Happened {
  readonly version: Version;
  readonly operation: VersionOperation;
}

export interface RelocationEvent extends Happened {
  readonly operation: 'rename' | 'move';
  /** The old location of the document or folder. */
  readonly from: Location;
  readonly to: Location;
}

export interface DeletionEvent extends Happened {
  readonly location: Location;
  readonly commit: string;
  /** The folder that was deleted with everything in it; null when the document alone was. */
  readonly folder: Location | null;
}

/** Selects the changes of a principal in a folder since a time. */
export interface Changes {
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The folder. */
  readonly location: Location;
  /** The most rows to return. */
  readonly limit: number;
}

/** A rename or move by a principal. */
export interface RelocationDone {
  /** Its place among all renames and moves. */
  readonly number: number;
  /** null when a folder went. */
  readonly document: { readonly number: number; readonly id: string } | null;
  readonly from: Location;
  readonly to: Location;
}

/** The places of a document in some commits. */
export interface PlacesAfter {
  /** After the last of them; null when they deleted it. */
  readonly location: Location | null;
  /** Every place that it had before, between or after them. */
  readonly all: ReadonlySet<Location>;
}

/** A place that a document or folder left, by a move or a deletion. */
export interface PlaceLeft {
  readonly location: Location;
  /** Null for a move. */
  readonly documentId: string | null;
}

/** A principal's versions of a document since a time. */
export interface Authorship {
  readonly document: number;
  /** Sequence of its first version in that time. */
  readonly first: number;
}

type HistoricVersionRow = readonly [...VersionRow, operation: VersionOperation, moment: number];

interface EventRow {
  moment: number;
  author: string;
  author_kind: PrincipalKind;
  author_name: string;
  at: number;
}

interface RelocationRow extends EventRow {
  operation: 'rename' | 'move';
  from_location: string;
  to_location: string;
}

interface RelocationDoneRow {
  number: number;
  document: number | null;
  id: string | null;
  from_location: string;
  to_location: string;
}

interface DeletionRow extends EventRow {
  commit_oid: string;
  location: string;
  folder: string | null;
}

const happened = (row: EventRow): Happened => ({
  moment: row.moment,
  author: { id: row.author, kind: row.author_kind, displayName: row.author_name },
  at: row.at,
});

const toRelocation = (row: RelocationRow): RelocationEvent => ({
  ...happened(row),
  operation: row.operation,
  from: row.from_location as Location,
  to: row.to_location as Location,
});

const relocationColumns = `r.moment, r.operation, r.from_location, r.to_location, r.author, r.at,
  p.kind AS author_kind, p.display_name AS author_name
  FROM relocation r JOIN principal p ON p.id = r.author`;

/** Every statement finds its rows by an index, in order: a page costs the same however long the history is. */
export const historyStatements = {
  versions: `SELECT ${versionColumns}, v.operation, v.moment FROM version v JOIN principal p ON p.id = v.author
    WHERE v.document = ? AND v.sequence < ? ORDER BY v.sequence DESC LIMIT ?`,
  relocation: `SELECT ${relocationColumns} WHERE r.document = ? AND r.moment < ? ORDER BY r.moment DESC LIMIT 1`,
  folderRelocation: `SELECT ${relocationColumns}
    WHERE r.document IS NULL AND r.to_location = ? AND r.moment < ? ORDER BY r.moment DESC LIMIT 1`,
  deletion: `SELECT e.moment, e.commit_oid, e.location, e.folder, e.author, e.at,
      p.kind AS author_kind, p.display_name AS author_name
    FROM deletion e JOIN principal p ON p.id = e.author
    WHERE e.document = ? AND e.moment < ? ORDER BY e.moment DESC LIMIT 1`,
} as const;

/** Whether a location is the folder's or lies in it, `@location`. */
const isIn = (column: string): string =>
  `(@location = '' OR ${column} = @location OR substr(${column}, 1, length(@location) + 1) = @location || '/')`;

/** Reads the events of documents: backwards from a moment, or by principal. */
export class HistoryTable extends Table {
  readonly #versions = this.arrayStatement<[number, number, number], HistoricVersionRow>(historyStatements.versions);
  readonly #relocation = this.statement<[number, number], RelocationRow>(historyStatements.relocation);
  readonly #folderRelocation = this.statement<[string, number], RelocationRow>(historyStatements.folderRelocation);
  readonly #deletion = this.statement<[number, number], DeletionRow>(historyStatements.deletion);
  readonly #writtenBy = this.statement<[Changes & { folder: number }], { document: number; first: number }>(
    `WITH RECURSIVE inside (number) AS (
       SELECT @folder UNION ALL SELECT f.number FROM folder f JOIN inside ON f.parent = inside.number)
     SELECT v.document, min(v.sequence) AS first FROM version v JOIN document d ON d.number = v.document
     WHERE v.author = @author AND v.at >= @since
       AND CASE WHEN d.folder IS NULL THEN ${isIn('d.deleted_location')}
         ELSE d.folder IN (SELECT number FROM inside) END
     GROUP BY v.document ORDER BY v.document LIMIT @limit`,
  );
  readonly #deletedBy = this.statement<[Changes], { document: number; commit_oid: string }>(
    `SELECT e.document, e.commit_oid FROM deletion e JOIN document d ON d.number = e.document
     WHERE e.author = @author AND e.at >= @since AND d.deleted_commit = e.commit_oid
       AND ${isIn('d.deleted_location')} ORDER BY e.document LIMIT @limit`,
  );
  readonly #relocatedBy = this.statement<[Changes & { after: number }], RelocationDoneRow>(
    `SELECT r.number, r.document, d.id, r.from_location, r.to_location
     FROM relocation r LEFT JOIN document d ON d.number = r.document
     WHERE r.number > @after AND r.author = @author AND r.at >= @since
       AND (${isIn('r.from_location')} OR ${isIn('r.to_location')}) ORDER BY r.number LIMIT @limit`,
  );
  readonly #placesLeft = this.statement<[number, number, number], PlaceLeft>(
    `SELECT from_location AS location, NULL AS documentId FROM relocation WHERE moment > ?
     UNION ALL
     SELECT x.location, d.id FROM deletion x JOIN document d ON d.number = x.document WHERE x.moment > ? LIMIT ?`,
  );
  readonly #placesAfter = this.arrayStatement<
    [{ documents: string; commits: string }],
    [id: string, from: string, to: string | null]
  >(
    `WITH made (id) AS MATERIALIZED (SELECT value FROM json_each(@commits)),
       named (number, id) AS MATERIALIZED (
         SELECT d.number, d.id FROM json_each(@documents) j CROSS JOIN document d ON d.id = j.value)
     SELECT id, from_location, to_location FROM (
       SELECT n.id, v.location AS from_location, v.location AS to_location, v.moment FROM named n CROSS JOIN version v ON v.document = n.number
         WHERE v.id IN (SELECT id FROM made)
       UNION ALL SELECT n.id, r.from_location, r.to_location, r.moment
         FROM named n CROSS JOIN relocation r ON r.document = n.number WHERE r.commit_oid IN (SELECT id FROM made)
       UNION ALL SELECT n.id, e.location, NULL, e.moment FROM named n CROSS JOIN deletion e ON e.document = n.number
         WHERE e.commit_oid IN (SELECT id FROM made))
     ORDER BY moment`,
  );
  readonly #writtenByOthers = this.valueStatement<[number, number, string, string], number>(
    `SELECT EXISTS (SELECT 1 FROM version WHERE document = ? AND sequence > ? AND author <> ? AND blob_oid <> ?)
       AS found`,
  );

  /** Versions with a sequence below that, the newest first. */
  versionsBefore(document: number, sequence: number, limit: number): HistoricVersion[] {
    return this.#versions.all(document, sequence, limit).map((row) => {
      const version = toVersion(row);
      return { version, operation: row[14], moment: row[15], author: version.author, at: version.at };
    });
  }

  /** The document's own last rename or move before the moment. */
  relocationBefore(document: number, moment: number): RelocationEvent | undefined {
    const row = this.#relocation.get(document, moment);
    return row === undefined ? undefined : toRelocation(row);
  }

  /** The last move of a folder to this location before the moment. */
  folderRelocationBefore(to: Location, moment: number): RelocationEvent | undefined {
    const row = this.#folderRelocation.get(to, moment);
    return row === undefined ? undefined : toRelocation(row);
  }

  /** The document's last deletion before the moment. */
  deletionBefore(document: number, moment: number): DeletionEvent | undefined {
    const row = this.#deletion.get(document, moment);
    if (row === undefined) return undefined;
    return {
      ...happened(row),
      location: row.location as Location,
      commit: row.commit_oid,
      folder: row.folder as Location | null,
    };
  }

  /**
   * Documents with versions by the principal since then, if they lie in the folder now or were deleted from it.
   * @param folder the number of the folder
   */
  writtenBy(changes: Changes, folder: number): Authorship[] {
    return this.#writtenBy.all({ ...changes, folder });
  }

  /** Numbers of documents that the principal deleted from the folder since then, if that deletion still stands. */
  deletedBy(changes: Changes): number[] {
    return this.#deletedBy.all(changes).map((row) => row.document);
  }

  /**
   * Renames and moves by the principal since then, of documents and folders, into the folder, in it, or out of it; in
   * order, after the number `after`.
   */
  relocatedBy(changes: Changes, after: number): RelocationDone[] {
    return this.#relocatedBy.all({ ...changes, after }).map((row) => ({
      number: row.number,
      document: row.document === null ? null : { number: row.document, id: row.id ?? '' },
      from: row.from_location as Location,
      to: row.to_location as Location,
    }));
  }

  /**
   * Where commits have documents, and where they left them. Without those of which the commits are not known any
   * more, after an erase.
   * @param documents ids
   */
  placesAfter(documents: readonly string[], commits: readonly string[]): Map<string, PlacesAfter> {
    const rows = this.#placesAfter.all({ documents: JSON.stringify(documents), commits: JSON.stringify(commits) });
    const found = new Map<string, { location: Location | null; all: Set<Location> }>();
    for (const [id, from, to] of rows) {
      const places = found.get(id) ?? { location: null, all: new Set() };
      found.set(id, places);
      places.location = to as Location | null;
      for (const each of [from, to]) if (each !== null) places.all.add(each as Location);
    }
    return found;
  }

  /** Whether another principal wrote after that version, except to put `content` back. */
  isWrittenByOthers(
    document: number,
    after: number,
    author: string,
    content: Pick<Version, 'blobOid'> | undefined,
  ): boolean {
    return this.#writtenByOthers.get(document, after, author, content?.blobOid ?? '') === 1;
  }

  /** Places left after a moment, in no order. */
  placesLeft(after: number, limit: number): PlaceLeft[] {
    return this.#placesLeft.all(after, after, limit);
  }
}
