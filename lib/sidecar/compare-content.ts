import type { Connection } from './driver.js';

/** A difference between the rows and the history. */
export interface ContentDifference {
  readonly of: 'document' | 'version' | 'relocation' | 'deletion' | 'folder' | 'folder deletion' | 'deleted folder';
  /** Its current or former location, as far as the rows or the history know. */
  readonly location: string;
  /** Identifies it among others at its location: a version's or a document's id, a commit; '' where nothing has to. */
  readonly id: string;
  /** The column with the difference; null when one of the two has no such row at all. */
  readonly column: string | null;
  /** undefined where there is no such row. */
  readonly inRows: unknown;
  readonly inHistory: unknown;
}

export interface CompareOptions {
  /** Ids of the documents to leave out, since an erase is removing them. */
  readonly leftOut: ReadonlySet<string>;
  /** Whether rows name commits as they are. They do not while an erase points them to rewritten commits. */
  readonly namesCommits: boolean;
}

/** A batch of the comparison, after which the caller may yield. */
export interface ComparedBatch {
  readonly rows: number;
  readonly differences: readonly ContentDifference[];
}

/** In the scratch, in place of the SHA-256 of unreadable content: there is nothing to compare then. */
export const unreadableContent = '';

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;
type Key = readonly (string | number)[];

interface Compared {
  readonly of: ContentDifference['of'];
  /** Its rows in the order of the key. */
  readonly sql: string;
  readonly key: (row: Row) => Key;
  /** The compared columns; the others only identify the row. */
  readonly columns: readonly string[];
}

const rowsInBatch = 500;
/** No path has more folders: each has a name, and a location is at most so many bytes long. */
const deepest = 1024;

const documents: Compared = {
  of: 'document',
  sql: `SELECT id, id AS document_id, coalesce(deleted_location, name) AS location, folder, name, created_at, sequence,
      deleted_at, deleted_by, deleted_commit, deleted_location FROM document ORDER BY id`,
  key: ({ id }) => [id ?? ''],
  columns: ['name', 'created_at', 'sequence', 'deleted_at', 'deleted_by', 'deleted_commit', 'deleted_location'],
};

const versions: Compared = {
  of: 'version',
  sql: `SELECT d.id AS document_id, v.sequence, v.id, v.commit_oid, v.blob_oid, v.sha256, v.size, v.kind, v.media_type,
      v.location, v.author, v.at, v.operation, v.message, v.original_author, v.moment
    FROM document d CROSS JOIN version v ON v.document = d.number ORDER BY d.id, v.sequence`,
  key: ({ document_id: document, sequence }) => [document ?? '', sequence ?? 0],
  columns:
    'id commit_oid blob_oid sha256 size kind media_type location author at operation message original_author'.split(
      ' ',
    ),
};

const relocations: Compared = {
  of: 'relocation',
  sql: `SELECT r.commit_oid, r.commit_oid AS id, r.operation, d.id AS document_id, r.from_location,
      r.to_location AS location, r.author, r.at, r.moment
    FROM relocation r LEFT JOIN document d ON d.number = r.document ORDER BY r.commit_oid`,
  key: ({ id }) => [id ?? ''],
  columns: ['operation', 'document_id', 'from_location', 'location', 'author', 'at'],
};

const deletions: Compared = {
  of: 'deletion',
  sql: `SELECT d.id AS document_id, e.commit_oid, e.commit_oid AS id, e.location, e.folder, e.author, e.at, e.moment
    FROM document d CROSS JOIN deletion e ON e.document = d.number ORDER BY d.id, e.commit_oid`,
  key: ({ document_id: document, id }) => [document ?? '', id ?? ''],
  columns: ['location', 'folder', 'author', 'at'],
};

/** With documents that are still deleted by them: else a row says nothing, or what `deletedFolders` say. */
const folderDeletions: Compared = {
  of: 'folder deletion',
  sql: `SELECT f.commit_oid, f.commit_oid AS id, f.location, f.author, f.at, f.moment FROM folder_deletion f
    WHERE EXISTS (SELECT 1 FROM document d WHERE d.deleted_moment = f.moment AND d.deleted_location IS NOT NULL)
    ORDER BY f.commit_oid`,
  key: ({ id }) => [id ?? ''],
  columns: ['location', 'author', 'at'],
};

const deletedFolders: Compared = {
  of: 'deleted folder',
  // SQLite and JavaScript order the characters of a location differently, and those of its bytes alike.
  sql: `SELECT hex(k.location) AS bytes, k.location, '' AS id, f.commit_oid, f.location AS deleted_with, f.moment
    FROM deleted_folder k JOIN folder_deletion f ON f.moment = k.deletion ORDER BY bytes`,
  key: ({ bytes }) => [bytes ?? ''],
  columns: ['commit_oid', 'deleted_with'],
};

/**
 * Compares rows of folders, documents, versions, renames, moves and deletions with those of a replayed history,
 * whatever numbers either has for them. Events have the same order in both. The rows may count them from a higher
 * number, since an erase takes commits out of a history and leaves the rows' count as it was.
 */
export class ContentComparison {
  readonly #rows: Connection;
  readonly #history: Connection;
  readonly #options: CompareOptions;
  /** The rows' moment of each event, by the history's moment. */
  readonly #moments: (number | undefined)[] = [];
  /** A release before wrote the rows of deleted folders up to this moment, and did not always know what came back. */
  readonly #foldersSince: number;
  #differences: ContentDifference[] = [];

  constructor(rows: Connection, history: Connection, options: CompareOptions) {
    this.#rows = rows;
    this.#history = history;
    this.#options = options;
    this.#foldersSince = Number(
      rows.prepare<[], { value: string }>("SELECT value FROM meta WHERE name = 'deleted_folders_since'").get()?.value ??
        0,
    );
  }

  *batches(): Generator<ComparedBatch> {
    const folders = this.#compareFolders();
    yield this.#takeBatch(folders.size);
    yield* this.#compare(documents, {
      also: (row, made) => {
        const isInPlace = row['folder'] === (made['folder'] === null ? null : folders.get(Number(made['folder'])));
        if (!isInPlace) this.#note(documents, row, 'folder', placeOf(this.#rows, row), placeOf(this.#history, made));
      },
    });
    yield* this.#compare(versions);
    // Rows moved by an erase still name commits by which nothing is found.
    if (!this.#options.namesCommits) return;
    yield* this.#compare(relocations);
    yield* this.#compare(deletions);
    yield* this.#compare(folderDeletions, {
      isLeftOut: (row, made) => this.#isOfErased(row ?? made, row === undefined),
    });
    yield* this.#compare(deletedFolders, { isLeftOut: (row, made) => this.#isOfBefore(row, made) });
    this.#compareOrder();
    yield this.#takeBatch(0);
  }

  *#compare(
    compared: Compared,
    options: {
      readonly also?: (row: Row, made: Row) => void;
      /** Whether a row and its counterpart, of which one may be missing, need not be the same. */
      readonly isLeftOut?: (row: Row | undefined, made: Row | undefined) => boolean;
    } = {},
  ): Generator<ComparedBatch> {
    const { also, isLeftOut } = options;
    let rows = 0;
    for (const [row, made] of pairRows(compared, this.#rows, this.#history)) {
      rows += 1;
      const either = row ?? made;
      const isOfErased = this.#options.leftOut.has(String(either?.['document_id']));
      if (either !== undefined && !isOfErased && isLeftOut?.(row, made) !== true) {
        if (row === undefined || made === undefined) this.#note(compared, either, null, row, made);
        else {
          this.#compareColumns(compared, row, made);
          also?.(row, made);
        }
      }
      if (rows === rowsInBatch) {
        yield this.#takeBatch(rows);
        rows = 0;
      }
    }
    yield this.#takeBatch(rows);
  }

  /** Whether all documents still deleted with the folder are being erased. */
  #isOfErased(row: Row | undefined, isInHistory: boolean): boolean {
    const left = (isInHistory ? this.#history : this.#rows).prepare<[Value], { id: string }>(
      'SELECT id FROM document WHERE deleted_moment = ? AND deleted_location IS NOT NULL',
    );
    for (const { id } of left.iterate(row?.['moment'] ?? null)) if (!this.#options.leftOut.has(id)) return false;
    return true;
  }

  /** Whether a release before noted, or failed to note, that the folder went with this deletion. */
  #isOfBefore(row: Row | undefined, made: Row | undefined): boolean {
    if (this.#foldersSince === 0 || row?.['commit_oid'] === made?.['commit_oid']) return false;
    if (row !== undefined && Number(row['moment']) > this.#foldersSince) return false;
    // What was compared before gives the moments of most commits, and so of the last one before this.
    let counted = Number(made?.['moment'] ?? 0);
    while (counted > 0 && this.#moments[counted] === undefined) counted -= 1;
    return (this.#moments[counted] ?? 0) <= this.#foldersSince;
  }

  #compareColumns(compared: Compared, row: Row, made: Row): void {
    for (const column of compared.columns) {
      if (row[column] === made[column]) continue;
      if (!this.#options.namesCommits && (column === 'commit_oid' || column === 'deleted_commit')) continue;
      if (column === 'kind' && row['kind'] === 'binary' && this.#isDecoded(made['blob_oid'])) continue;
      const isOfContent = column === 'sha256' || column === 'size' || column === 'kind';
      if (isOfContent && made['sha256'] === unreadableContent) {
        if (column !== 'sha256') continue;
        this.#note(compared, row, 'content', row['blob_oid'], undefined);
      } else this.#note(compared, row, column, row[column], made[column]);
    }
    const [moment, counted] = [row['moment'], made['moment']];
    if (typeof moment !== 'number' || typeof counted !== 'number') return;
    const known = (this.#moments[counted] ??= moment);
    if (known !== moment) this.#note(compared, row, 'moment', moment, known);
  }

  /** Whether the content is text in another charset than UTF-8: releases before wrote rows of binary content. */
  #isDecoded(blobOid: Value | undefined): boolean {
    const find = this.#history.prepare<[Value]>('SELECT 1 FROM decoded_text WHERE blob_oid = ?');
    return find.get(blobOid ?? null) !== undefined;
  }

  /** Later events are later in the rows, too. */
  #compareOrder(): void {
    let last = -1;
    for (const [counted, moment] of this.#moments.entries()) {
      if (moment === undefined) continue;
      if (moment <= last) {
        const what = { of: 'version', location: '', id: '', column: 'moment' } as const;
        this.#differences.push({ ...what, inRows: moment, inHistory: `commit ${counted}, after ${last}` });
      }
      last = Math.max(last, moment);
    }
  }

  /** Pairs the folders whose path both have. @returns numbers in the rows by those in the history */
  #compareFolders(): Map<number, number> {
    const sql = 'SELECT number, name, kept FROM folder WHERE parent = ?';
    const [here, there] = [this.#rows, this.#history].map((connection) =>
      connection.prepare<[number], { number: number; name: string; kept: number }>(sql),
    );
    const pairs = new Map([[1, 1]]);
    const open = [{ row: 1, made: 1, path: '' }];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const rows = new Map((here?.all(at.row) ?? []).map((row) => [row.name, row]));
      for (const { number, name, kept } of there?.all(at.made) ?? []) {
        const row = rows.get(name);
        const path = at.path === '' ? name : `${at.path}/${name}`;
        const what = { of: 'folder', location: path, id: '' } as const;
        if (row === undefined) this.#differences.push({ ...what, column: null, inRows: undefined, inHistory: name });
        else {
          if (row.kept !== kept) this.#differences.push({ ...what, column: 'kept', inRows: row.kept, inHistory: kept });
          pairs.set(number, row.number);
          open.push({ row: row.number, made: number, path });
        }
        rows.delete(name);
      }
      for (const { name } of rows.values()) {
        const location = at.path === '' ? name : `${at.path}/${name}`;
        this.#differences.push({ of: 'folder', location, id: '', column: null, inRows: name, inHistory: undefined });
      }
    }
    return pairs;
  }

  #note({ of }: Compared, about: Row, column: string | null, inRows: unknown, inHistory: unknown): void {
    const { location, id } = about;
    this.#differences.push({ of, location: String(location), id: String(id), column, inRows, inHistory });
  }

  #takeBatch(rows: number): ComparedBatch {
    const differences = this.#differences;
    this.#differences = [];
    return { rows, differences };
  }
}

/** The location in a document's row. */
function placeOf(connection: Connection, { folder, name }: Row): string | null {
  if (folder === null) return null;
  const find = connection.prepare<[Value], { parent: number; name: string }>(
    'SELECT parent, name FROM folder WHERE number = ?',
  );
  const names = [String(name)];
  let at: Value = folder ?? 0;
  for (let depth = 0; at !== 1 && depth < deepest; depth++) {
    const found = find.get(at);
    if (found === undefined) return `(a folder that is not there)/${names.join('/')}`;
    names.unshift(found.name);
    at = found.parent;
  }
  return names.join('/');
}

/** The rows of both in the order of their keys, rows with the same key together. */
function* pairRows(
  { sql, key }: Compared,
  rows: Connection,
  history: Connection,
): Generator<[Row | undefined, Row | undefined]> {
  const [here, there] = [rows, history].map((connection) => connection.prepare<[], Row>(sql).iterate());
  if (here === undefined || there === undefined) return;
  try {
    let row = take(here);
    let made = take(there);
    while (row !== undefined || made !== undefined) {
      const order = row === undefined ? 1 : made === undefined ? -1 : compareKeys(key(row), key(made));
      yield [order > 0 ? undefined : row, order < 0 ? undefined : made];
      if (order <= 0) row = take(here);
      if (order >= 0) made = take(there);
    }
  } finally {
    here.return?.();
    there.return?.();
  }
}

function take(rows: Iterator<Row>): Row | undefined {
  const next = rows.next();
  return next.done === true ? undefined : next.value;
}

/** Ids, commits and numbers: SQLite and JavaScript order all their characters alike. */
function compareKeys(a: Key, b: Key): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? value;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
