import type { Location } from '../../domain/location.js';
import type { Version } from '../../domain/document.js';
import { Table } from '../statement.js';

export interface NewDeletion {
  readonly commit: string;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly moment: number;
}

/** A live document and its location. */
export interface PlacedDocument {
  readonly number: number;
  readonly location: Location;
}

/** A folder that was deleted as one. */
export interface FolderDeletion {
  readonly moment: number;
  readonly commit: string;
  readonly location: Location;
  /** Folders at or below it that were made to stay when empty. */
  readonly kept: readonly Location[];
}

/** A document that went with a folder and is still deleted. */
export interface DeletedWithFolder {
  readonly number: number;
  readonly id: string;
  readonly location: Location;
  readonly sequence: number;
  /** The content of its last version. */
  readonly content: Pick<Version, 'blobOid' | 'sha256' | 'size' | 'kind' | 'mediaType'>;
}

/** All folders at or below one, with the paths they have. */
const foldersBelow = `WITH RECURSIVE below (number, path, kept) AS (
    SELECT number, ?, kept FROM folder WHERE number = ?
    UNION ALL
    SELECT f.number, b.path || '/' || f.name, f.kept FROM folder f JOIN below b ON f.parent = b.number
  )`;

/** Deletions as events, of documents alone and of folders with everything in them. */
export class DeletionTable extends Table {
  readonly #insert = this.statement(
    'INSERT INTO deletion (document, moment, commit_oid, location, folder, author, at) VALUES (?, ?, ?, ?, NULL, ?, ?)',
  );
  readonly #documentsBelow = this.arrayStatement<[string, number, number], [number: number, location: string]>(
    `${foldersBelow}
     SELECT d.number, b.path || '/' || d.name FROM below b JOIN document d ON d.folder = b.number LIMIT ?`,
  );
  readonly #insertSome = this.statement<[NewDeletion & { rows: string; folder: Location | null }]>(
    `INSERT INTO deletion (document, moment, commit_oid, location, folder, author, at)
     SELECT r.value ->> 0, @moment, @commit, r.value ->> 1, @folder, @author, @at FROM json_each(@rows) r`,
  );
  readonly #deleteSome = this.statement<[Omit<NewDeletion, 'moment'> & { rows: string }]>(
    `UPDATE document SET folder = NULL, deleted_at = @at, deleted_by = @author, deleted_commit = @commit,
       deleted_location = r.value ->> 1
     FROM json_each(@rows) r WHERE document.number = r.value ->> 0`,
  );
  readonly #keptBelow = this.valueStatement<[string, number], string>(
    `${foldersBelow} SELECT path FROM below WHERE kept <> 0 ORDER BY path`,
  );
  readonly #dropBelow = this.statement(`${foldersBelow} DELETE FROM folder WHERE number IN (SELECT number FROM below)`);
  readonly #insertFolder = this.statement(
    'INSERT INTO folder_deletion (moment, commit_oid, location, kept, author, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #foldersAt = this.statement<
    [string],
    { moment: number; commit_oid: string; location: string; kept: string }
  >(
    `SELECT moment, commit_oid, location, kept FROM folder_deletion
     WHERE location = ? ORDER BY moment DESC LIMIT 20`,
  );
  readonly #deleteFolder = this.statement('DELETE FROM folder_deletion WHERE moment = ?');
  readonly #ofFolder = this.arrayStatement<
    [string, number, number],
    [
      number: number,
      id: string,
      location: string,
      sequence: number,
      blobOid: string,
      sha256: string,
      size: number,
      kind: Version['kind'],
      mediaType: string,
    ]
  >(
    `SELECT d.number, d.id, d.deleted_location, d.sequence, v.blob_oid, v.sha256, v.size, v.kind, v.media_type
     FROM document d JOIN version v ON v.document = d.number AND v.sequence = d.sequence
     WHERE d.deleted_commit = ? AND d.folder IS NULL AND d.number > ? ORDER BY d.number LIMIT ?`,
  );

  /** Records the deletion of one document. */
  insert(document: number, location: Location, { commit, author, at, moment }: NewDeletion): void {
    this.#insert.run(document, moment, commit, location, author, at);
  }

  /**
   * Documents in a folder and in all folders below it, with their locations; at most `limit`, in no order.
   * @param number of the folder
   */
  documentsBelow(number: number, location: Location, limit: number): PlacedDocument[] {
    const rows = this.#documentsBelow.all(location, number, limit);
    return rows.map(([document, place]) => ({ number: document, location: place as Location }));
  }

  /** Marks documents as deleted in one statement. @param folder the one they went with; null when they went alone */
  deleteAll(documents: readonly PlacedDocument[], folder: Location | null, deletion: NewDeletion): void {
    const rows = JSON.stringify(documents.map(({ number, location }) => [number, location]));
    const { commit, author, at, moment } = deletion;
    this.#insertSome.run({ rows, folder, commit, author, at, moment });
    this.#deleteSome.run({ rows, commit, author, at });
  }

  /** Removes the rows of a folder, and of those below it, whose documents were all deleted. */
  dropFolder(number: number, location: Location, { commit, author, at, moment }: NewDeletion): void {
    const kept = this.#keptBelow.all(location, number);
    this.#dropBelow.run(location, number);
    this.#insertFolder.run(moment, commit, location, JSON.stringify(kept), author, at);
  }

  /** Deletions of folders at this location that were not undone, the last first; no more than a few. */
  foldersAt(location: Location): FolderDeletion[] {
    return this.#foldersAt.all(location).map((row) => ({
      moment: row.moment,
      commit: row.commit_oid,
      location: row.location as Location,
      kept: JSON.parse(row.kept) as Location[],
    }));
  }

  /** Removes a folder's deletion once it was undone; those of its documents stay as events. */
  forgetFolder(moment: number): void {
    this.#deleteFolder.run(moment);
  }

  /**
   * Documents deleted by a commit and still deleted by it, in the order of their creation.
   * @param after the number of the last known one
   */
  deletedBy(commit: string, after: number, limit: number): DeletedWithFolder[] {
    return this.#ofFolder
      .all(commit, after, limit)
      .map(([number, id, location, sequence, blobOid, sha256, size, kind, mediaType]) => ({
        number,
        id,
        location: location as Location,
        sequence,
        content: { blobOid, sha256, size, kind, mediaType },
      }));
  }
}
