import type { DocumentKind, Version } from '../../domain/document.js';
import { formatOriginalAuthor, type OriginalAuthor } from '../../domain/original-author.js';
import { Table } from '../statement.js';
import { toVersion, versionColumns, type VersionRow } from './version-row.js';

/** The data of a new version from the write context. */
export interface NewVersion {
  readonly document: number;
  readonly sequence: number;
  readonly id: string;
  /** The current name of its commit; equal to the id by default. */
  readonly commit?: string;
  readonly blobOid: string;
  readonly sha256: string;
  readonly size: number;
  readonly kind: string;
  readonly mediaType: string;
  readonly location: string;
  readonly author: string;
  readonly at: number;
  readonly operation: string;
  readonly message: string | null;
  readonly originalAuthor: OriginalAuthor | null;
  /** Number of its commit, counted from the first on main. */
  readonly moment: number;
}

/** What a walk through the contents of a document needs of each version. */
export interface VersionContent {
  readonly sequence: number;
  readonly blobOid: string;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: DocumentKind;
  readonly mediaType: string;
}

/** A version's place in the order of all commits. */
export interface VersionMoment {
  readonly moment: number;
  readonly document: number;
  readonly sequence: number;
}

type ContentRow = readonly [
  sequence: number,
  blobOid: string,
  sha256: string,
  size: number,
  kind: DocumentKind,
  mediaType: string,
];

const select = `SELECT ${versionColumns} FROM version v JOIN principal p ON p.id = v.author`;

/** Every version of every document; rows are only ever added (and removed by an erase). */
export class VersionTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO version (document, sequence, id, commit_oid, blob_oid, sha256, size, kind, media_type, location,
       author, at, operation, message, original_author, moment) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // Written like the condition of the partial index: SQLite would not use the index otherwise.
  readonly #largeBlob = this.valueStatement<[string], number>(
    'SELECT EXISTS (SELECT 1 FROM version WHERE blob_oid = ? AND size > 1048576) AS used',
  );
  readonly #largeBlobsOf = this.valueStatement<[number], string>(
    'SELECT DISTINCT blob_oid FROM version WHERE document = ? AND size > 1048576',
  );
  readonly #blobsAfter = this.arrayStatement<
    [number, number, number],
    [document: number, sequence: number, blobOid: string, commit: string]
  >(
    `SELECT document, sequence, blob_oid, commit_oid FROM version WHERE (document, sequence) > (?, ?)
     ORDER BY document, sequence LIMIT ?`,
  );
  readonly #blobsSince = this.arrayStatement<
    [number, number, number, number],
    [moment: number, document: number, sequence: number, blobOid: string]
  >(
    `SELECT moment, document, sequence, blob_oid FROM version WHERE (moment, document, sequence) > (?, ?, ?)
     ORDER BY moment, document, sequence LIMIT ?`,
  );
  readonly #byId = this.arrayStatement<[number, string], VersionRow>(`${select} WHERE v.document = ? AND v.id = ?`);
  readonly #bySequence = this.arrayStatement<[number, number], VersionRow>(
    `${select} WHERE v.document = ? AND v.sequence = ?`,
  );
  readonly #after = this.arrayStatement<[number, number, number], VersionRow>(
    `${select} WHERE v.document = ? AND v.sequence < ? ORDER BY v.sequence DESC LIMIT ?`,
  );
  readonly #by = this.arrayStatement<[number, number, string, number], VersionRow>(
    `${select} WHERE v.document = ? AND v.sequence > ? AND v.author = ? ORDER BY v.sequence DESC LIMIT ?`,
  );

  readonly #contents = this.arrayStatement<[number, number, number], ContentRow>(
    `SELECT sequence, blob_oid, sha256, size, kind, media_type FROM version WHERE document = ? AND sequence <= ?
      ORDER BY sequence DESC LIMIT ?`,
  );

  insert(version: NewVersion): void {
    this.#insert.run(
      version.document,
      version.sequence,
      version.id,
      version.commit ?? version.id,
      version.blobOid,
      version.sha256,
      version.size,
      version.kind,
      version.mediaType,
      version.location,
      version.author,
      version.at,
      version.operation,
      version.message,
      version.originalAuthor === null ? null : formatOriginalAuthor(version.originalAuthor),
      version.moment,
    );
  }

  /** Whether the content of any version, of any document, is this blob of more than 1 MiB. */
  holdLargeBlob(blobOid: string): boolean {
    return this.#largeBlob.get(blobOid) === 1;
  }

  /** Every blob of more than 1 MiB that is the content of some version of the document. */
  largeBlobsOf(document: number): string[] {
    return this.#largeBlobsOf.all(document);
  }

  /** The contents and commits of all versions in batches, by document and sequence. */
  blobsAfter(
    { document, sequence }: { readonly document: number; readonly sequence: number },
    limit: number,
  ): { readonly document: number; readonly sequence: number; readonly blobOid: string; readonly commit: string }[] {
    return this.#blobsAfter.all(document, sequence, limit).map((row) => ({
      document: row[0],
      sequence: row[1],
      blobOid: row[2],
      commit: row[3],
    }));
  }

  /** The contents of the latest versions in batches, by moment. @param after where the batch before ended */
  blobsSince({ moment, document, sequence }: VersionMoment, limit: number): (VersionMoment & { blobOid: string })[] {
    return this.#blobsSince.all(moment, document, sequence, limit).map((row) => ({
      moment: row[0],
      document: row[1],
      sequence: row[2],
      blobOid: row[3],
    }));
  }

  byId(document: number, id: string): Version | undefined {
    const row = this.#byId.get(document, id);
    return row === undefined ? undefined : toVersion(row);
  }

  bySequence(document: number, sequence: number): Version | undefined {
    const row = this.#bySequence.get(document, sequence);
    return row === undefined ? undefined : toVersion(row);
  }

  /** Versions older than `sequence`, the newest first. */
  before(document: number, sequence: number, limit: number): Version[] {
    return this.#after.all(document, sequence, limit).map(toVersion);
  }

  /** The contents of the versions up to `sequence`, the newest first. */
  contents(document: number, sequence: number, limit: number): VersionContent[] {
    return this.#contents.all(document, sequence, limit).map(([number, blobOid, sha256, size, kind, mediaType]) => ({
      sequence: number,
      blobOid,
      sha256,
      size,
      kind,
      mediaType,
    }));
  }

  /** Versions newer than `sequence` by one principal, the newest first. */
  by(author: string, document: number, sequence: number, limit: number): Version[] {
    return this.#by.all(document, sequence, author, limit).map(toVersion);
  }
}
