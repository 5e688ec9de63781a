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

/**
 * Removes the deletion of a folder, by its moment, once nothing of it is left: no document that is still deleted by it,
 * and no folder to give back.
 */
export const dropSettled = `DELETE FROM folder_deletion WHERE moment = ?
  AND NOT EXISTS (SELECT 1 FROM deleted_folder k WHERE k.deletion = folder_deletion.moment)
  AND NOT EXISTS (
    SELECT 1 FROM document d WHERE d.deleted_moment = folder_deletion.moment AND d.deleted_location IS NOT NULL)`;

/**
 * Deletions as events, of documents alone and of folders with everything in them. A folder's deletion goes by its
 * moment: an erase changes the commits.
 */
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
  readonly #deleteSome = this.statement<[NewDeletion & { rows: string }]>(
    `UPDATE document SET folder = NULL, deleted_at = @at, deleted_by = @author, deleted_commit = @commit,
       deleted_moment = @moment, deleted_location = r.value ->> 1
     FROM json_each(@rows) r WHERE document.number = r.value ->> 0`,
  );
  readonly #keptBelow = this.valueStatement<[string, number], string>(
    `${foldersBelow} SELECT path FROM below WHERE kept <> 0 ORDER BY path`,
  );
  readonly #dropBelow = this.statement(`${foldersBelow} DELETE FROM folder WHERE number IN (SELECT number FROM below)`);
  readonly #insertFolder = this.statement(
    'INSERT INTO folder_deletion (moment, commit_oid, location, author, at) VALUES (?, ?, ?, ?, ?)',
  );
  readonly #deletionsOf = this.valueStatement<[string], number>(
    'SELECT DISTINCT k.deletion FROM json_each(?) r CROSS JOIN deleted_folder k ON k.location = r.value',
  );
  readonly #insertKept = this.statement<[number, string]>(
    'INSERT OR REPLACE INTO deleted_folder (location, deletion) SELECT r.value, ? FROM json_each(?) r',
  );
  readonly #removeKept = this.valueStatement<[string], number>(
    'DELETE FROM deleted_folder WHERE location = ? RETURNING deletion',
  );
  readonly #keptOf = this.valueStatement<[number], Location>(
    'SELECT location FROM deleted_folder WHERE deletion = ? ORDER BY location',
  );
  readonly #foldersAt = this.valueStatement<[string, number, number], number>(
    'SELECT moment FROM folder_deletion WHERE location = ? AND moment < ? ORDER BY moment DESC LIMIT ?',
  );
  readonly #momentsOf = this.valueStatement<[string], number>(
    `SELECT DISTINCT d.deleted_moment FROM json_each(?) r CROSS JOIN document d ON d.number = r.value
     WHERE d.deleted_location IS NOT NULL`,
  );
  readonly #dropSettled = this.statement<[number]>(dropSettled);
  readonly #ofFolder = this.arrayStatement<
    [number, number, number],
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
     WHERE d.deleted_moment = ? AND d.deleted_location IS NOT NULL AND d.number > ? ORDER BY d.number LIMIT ?`,
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
    this.#deleteSome.run({ rows, commit, author, at, moment });
  }

  /** Removes the rows of a folder, and of those below it, whose documents were all deleted. */
  dropFolder(number: number, location: Location, { commit, author, at, moment }: NewDeletion): void {
    const kept = JSON.stringify(this.#keptBelow.all(location, number));
    this.#dropBelow.run(location, number);
    this.#insertFolder.run(moment, commit, location, author, at);
    const earlier = this.#deletionsOf.all(kept);
    this.#insertKept.run(moment, kept);
    for (const each of earlier) this.dropSettled(each);
  }

  /** Notes that a folder made to stay is there again, so that no deletion gives it back. */
  noteReturned(location: Location): void {
    const deletion = this.#removeKept.get(location);
    if (deletion !== undefined) this.dropSettled(deletion);
  }

  /**
   * Moments of the deletions of folders at this location of which something is left, the last first.
   * @param before only earlier ones
   */
  foldersAt(location: Location, before: number, limit: number): number[] {
    return this.#foldersAt.all(location, before, limit);
  }

  /** Folders made to stay that went with the folder deleted at the moment and were not given back. */
  keptOf(moment: number): Location[] {
    return this.#keptOf.all(moment);
  }

  /** The moments at which these documents were deleted; live ones have none. @param numbers of documents */
  momentsOf(numbers: readonly number[]): number[] {
    return this.#momentsOf.all(JSON.stringify(numbers));
  }

  /** Removes the deletion of a folder once nothing of it is left; those of its documents stay as events. */
  dropSettled(moment: number): void {
    this.#dropSettled.run(moment);
  }

  /**
   * Documents deleted at a moment and still deleted by it, in the order of their creation.
   * @param after the number of the last known one
   */
  deletedBy(moment: number, after: number, limit: number): DeletedWithFolder[] {
    return this.#ofFolder
      .all(moment, after, limit)
      .map(([number, id, location, sequence, blobOid, sha256, size, kind, mediaType]) => ({
        number,
        id,
        location: location as Location,
        sequence,
        content: { blobOid, sha256, size, kind, mediaType },
      }));
  }
}
