import type { Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import type { Author, PrincipalKind } from '../../domain/principal.js';
import { Table } from '../statement.js';

/** A deleted document, and its last version. */
export interface TrashRow {
  readonly number: number;
  readonly id: string;
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly deletedAt: number;
  readonly deletedBy: Author;
  /** The moment of its deletion. */
  readonly moment: number;
  readonly last: Pick<Version, 'id' | 'size' | 'kind' | 'mediaType'>;
}

/** A place in the trash, from the last deletion to the first. */
export interface TrashPlace {
  readonly moment: number;
  readonly number: number;
}

type Row = readonly [
  number: number,
  id: string,
  location: string,
  deletedAt: number,
  author: string,
  authorKind: PrincipalKind,
  authorName: string,
  moment: number,
  versionId: string,
  size: number,
  kind: Version['kind'],
  mediaType: string,
];

const columns = `SELECT d.number, d.id, d.deleted_location, d.deleted_at, p.id, p.kind, p.display_name, d.deleted_moment,
    v.id, v.size, v.kind, v.media_type`;
const joins = `JOIN version v ON v.document = d.number AND v.sequence = d.sequence
  JOIN principal p ON p.id = d.deleted_by`;
const after = '(d.deleted_moment, d.number) < (?, ?)';
const order = 'ORDER BY d.deleted_moment DESC, d.number DESC';

const toTrash = (row: Row): TrashRow => ({
  number: row[0],
  id: row[1],
  location: row[2] as Location,
  deletedAt: row[3],
  deletedBy: { id: row[4], kind: row[5], displayName: row[6] },
  moment: row[7],
  last: { id: row[8], size: row[9], kind: row[10], mediaType: row[11] },
});

/** Deleted documents that can come back, the last deletion first. */
export class TrashTable extends Table {
  readonly #all = this.arrayStatement<[number, number, number], Row>(
    `${columns} FROM document d ${joins} WHERE d.deleted_location IS NOT NULL AND ${after} ${order} LIMIT ?`,
  );
  // '0' is the character after '/': the range holds exactly the paths that start with `folder/`.
  readonly #below = this.arrayStatement<[string, number, number, number], Row>(
    `${columns} FROM (
       SELECT d.number AS found FROM json_each(?) f CROSS JOIN document d
         ON d.deleted_location > f.value || '/' AND d.deleted_location < f.value || '0'
       WHERE ${after} ${order} LIMIT ?
     ) CROSS JOIN document d ON d.number = found ${joins} ${order}`,
  );
  readonly #ofThese = this.arrayStatement<[string], Row>(
    `${columns} FROM json_each(?) g CROSS JOIN document d ON d.id = g.value ${joins}
     WHERE d.deleted_location IS NOT NULL`,
  );
  readonly #folder = this.valueStatement<[number], string>('SELECT location FROM folder_deletion WHERE moment = ?');

  /** Everything deleted, from after the place. */
  all({ moment, number }: TrashPlace, limit: number): TrashRow[] {
    return this.#all.all(moment, number, limit).map(toTrash);
  }

  /** What was deleted below any of the folders, from after the place. @param folders of which none lies in another */
  below(folders: readonly Location[], { moment, number }: TrashPlace, limit: number): TrashRow[] {
    return this.#below.all(JSON.stringify(folders), moment, number, limit).map(toTrash);
  }

  /** Those of these documents that are deleted, in no order. */
  ofThese(ids: readonly string[]): TrashRow[] {
    return this.#ofThese.all(JSON.stringify(ids)).map(toTrash);
  }

  /** The folder that was deleted as one at the moment, if the deletion was not undone. */
  folderAt(moment: number): Location | undefined {
    return this.#folder.get(moment) as Location | undefined;
  }
}
