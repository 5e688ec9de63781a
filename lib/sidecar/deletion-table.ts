import type { Location } from '../domain/location.js';
import type { Version } from '../domain/document.js';
import type { Connection } from './database.js';

export interface NewDeletion {
  readonly commit: string;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly moment: number;
}

/** A folder that was deleted as one. */
export interface FolderDeletion {
  readonly moment: number;
  readonly commit: string;
  readonly location: Location;
  /** Folders at or below it that had been made to stay when empty. */
  readonly kept: readonly Location[];
}

/** A document that went with a folder and is still deleted. */
export interface DeletedWithFolder {
  readonly number: number;
  readonly id: string;
  readonly location: Location;
  readonly sequence: number;
  /** What its last version holds. */
  readonly content: Pick<Version, 'sequence' | 'blobOid' | 'size' | 'kind' | 'mediaType'>;
}

/** All folders at or below one, with the paths they have. */
const foldersBelow = `WITH RECURSIVE below (number, path, kept) AS (
    SELECT number, ?, kept FROM folder WHERE number = ?
    UNION ALL
    SELECT f.number, b.path || '/' || f.name, f.kept FROM folder f JOIN below b ON f.parent = b.number
  )`;

/** Deletions as events, of documents alone and of folders with everything in them. */
export class DeletionTable {
  readonly #insert;
  readonly #noteBelow;
  readonly #buryBelow;
  readonly #keptBelow;
  readonly #dropBelow;
  readonly #insertFolder;
  readonly #foldersAt;
  readonly #deleteFolder;
  readonly #ofFolder;
  readonly #placesOfFolder;

  constructor(connection: Connection) {
    this.#insert = connection.prepare(
      'INSERT INTO deletion (document, moment, commit_oid, location, folder, author, at) VALUES (?, ?, ?, ?, NULL, ?, ?)',
    );
    this.#noteBelow = connection.prepare(
      `${foldersBelow}
       INSERT INTO deletion (document, moment, commit_oid, location, folder, author, at)
       SELECT d.number, ?, ?, b.path || '/' || d.name, ?, ?, ? FROM below b JOIN document d ON d.folder = b.number`,
    );
    this.#buryBelow = connection.prepare(
      `${foldersBelow}
       UPDATE document SET folder = NULL, deleted_at = ?, deleted_by = ?, deleted_commit = ?,
         deleted_location = b.path || '/' || document.name
       FROM below b WHERE document.folder = b.number`,
    );
    this.#keptBelow = connection.prepare<[string, number], { path: string }>(
      `${foldersBelow} SELECT path FROM below WHERE kept <> 0 ORDER BY path`,
    );
    this.#dropBelow = connection.prepare(
      `${foldersBelow} DELETE FROM folder WHERE number IN (SELECT number FROM below)`,
    );
    this.#insertFolder = connection.prepare(
      'INSERT INTO folder_deletion (moment, commit_oid, location, kept, author, at) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#foldersAt = connection.prepare<
      [string],
      { moment: number; commit_oid: string; location: string; kept: string }
    >(
      `SELECT moment, commit_oid, location, kept FROM folder_deletion
       WHERE location = ? ORDER BY moment DESC LIMIT 20`,
    );
    this.#deleteFolder = connection.prepare('DELETE FROM folder_deletion WHERE moment = ?');
    this.#placesOfFolder = connection
      .prepare<[string], Location>('SELECT deleted_location FROM document WHERE deleted_commit = ? AND folder IS NULL')
      .pluck();
    this.#ofFolder = connection
      .prepare<
        [string],
        [
          number: number,
          id: string,
          location: string,
          sequence: number,
          blobOid: string,
          size: number,
          kind: Version['kind'],
          mediaType: string,
        ]
      >(
        `SELECT d.number, d.id, d.deleted_location, d.sequence, v.blob_oid, v.size, v.kind, v.media_type
       FROM document d JOIN version v ON v.document = d.number AND v.sequence = d.sequence
       WHERE d.deleted_commit = ? AND d.folder IS NULL ORDER BY d.number`,
      )
      .raw();
  }

  /** Notes that one document was deleted. */
  insert(document: number, location: Location, { commit, author, at, moment }: NewDeletion): void {
    this.#insert.run(document, moment, commit, location, author, at);
  }

  /**
   * Deletes the folder's rows and marks every document in it as deleted, in a few statements however much it is.
   * @param number of the folder, which is not the root
   * @returns how many documents went
   */
  deleteFolder(number: number, location: Location, deletion: NewDeletion): number {
    const { commit, author, at, moment } = deletion;
    const kept = this.#keptBelow.all(location, number).map((row) => row.path);
    const { changes } = this.#noteBelow.run(location, number, moment, commit, location, author, at);
    this.#buryBelow.run(location, number, at, author, commit);
    this.#dropBelow.run(location, number);
    this.#insertFolder.run(moment, commit, location, JSON.stringify(kept), author, at);
    return changes;
  }

  /** Deletions of folders at this location that were not brought back, the last first; no more than a few. */
  foldersAt(location: Location): FolderDeletion[] {
    return this.#foldersAt.all(location).map((row) => ({
      moment: row.moment,
      commit: row.commit_oid,
      location: row.location as Location,
      kept: JSON.parse(row.kept) as Location[],
    }));
  }

  /** Forgets a folder's deletion once it was brought back; those of its documents stay as events. */
  forgetFolder(moment: number): void {
    this.#deleteFolder.run(moment);
  }

  /** Places of the documents that a commit deleted and that are still deleted by it, in no order. */
  placesDeletedBy(commit: string): Location[] {
    return this.#placesOfFolder.all(commit);
  }

  /** Documents that a commit deleted and that are still deleted by it, in the order in which they were made. */
  deletedBy(commit: string): DeletedWithFolder[] {
    return this.#ofFolder.all(commit).map(([number, id, location, sequence, blobOid, size, kind, mediaType]) => ({
      number,
      id,
      location: location as Location,
      sequence,
      content: { sequence, blobOid, size, kind, mediaType },
    }));
  }
}
