import type { Location } from '../../domain/location.js';
import { Statement, Table } from '../statement.js';
import { dropSettled } from './deletion-table.js';

/** The statements for a table whose rows reference a document, directly or through other tables. */
interface Dependent {
  /** The bytes of the rows that `drop` removes next; undefined for a table without a size. */
  readonly size: Statement<[number, number], number> | undefined;
  /** Removes some rows by the document's number and their greatest count. */
  readonly drop: Statement<[number, number], unknown>;
}

/** A text beside a record of the audit log. */
export interface KeptText {
  readonly seq: number;
  readonly target: string | null;
  /** JSON. */
  readonly detail: string | null;
  /** Id of the document of the record; null without a known one. */
  readonly documentId: string | null;
  /** The recorded action; null for a record in an archive. */
  readonly action: string | null;
}

/** A current or former name of a document or folder. */
export interface NamedPlace {
  /** Number of the document; null for a folder. */
  readonly document: number | null;
  /** A location, or a name alone. */
  readonly place: string;
  readonly isName: boolean;
}

/** Removes documents from every table, in batches, so that no other work waits long; each batch can be repeated. */
export class EraseRows extends Table {
  readonly #dropThreads = this.statement('DELETE FROM message_thread WHERE about_document = ?');
  readonly #dropClaims = this.statement('DELETE FROM claim WHERE document = ?');
  readonly #events = this.statement<[number, number, number], { from: Location; to: Location | null; moment: number }>(
    `SELECT location AS "from", location AS "to", moment FROM version WHERE document = ?
     UNION ALL SELECT from_location, to_location, moment FROM relocation WHERE document = ?
     UNION ALL SELECT location, NULL, moment FROM deletion WHERE document = ?
     ORDER BY moment DESC`,
  );
  readonly #places = this.statement<
    [number, number, number],
    { commit: string; location: string | null; blob: string | null }
  >(
    `SELECT commit_oid AS "commit", location, blob_oid AS blob, moment FROM version WHERE document = ?
     UNION ALL SELECT commit_oid, to_location, NULL, moment FROM relocation WHERE document = ?
     UNION ALL SELECT commit_oid, NULL, NULL, moment FROM deletion WHERE document = ?
     ORDER BY moment`,
  );
  readonly #firstCommit = this.valueStatement<[string], string>(
    `SELECT commit_oid AS "commit" FROM version WHERE document IN (SELECT value FROM json_each(?)) AND sequence = 1
     ORDER BY moment LIMIT 1`,
  );
  readonly #mirrors = this.valueStatement<[number], string>(
    "SELECT DISTINCT author FROM version WHERE document = ? AND operation = 'mirror'",
  );
  readonly #formerPlaces = this.valueStatement<[number, number], Location>(
    'SELECT from_location AS place FROM relocation WHERE document = ? ORDER BY moment DESC LIMIT ?',
  );
  readonly #dropAnswers = this.statement('DELETE FROM idempotency WHERE document = ?');
  readonly #dropDocument = this.valueStatement<[number], number>(
    'DELETE FROM document WHERE number = ? RETURNING deleted_moment',
  );
  readonly #dropSettled = this.statement<[number]>(dropSettled);
  readonly #texts = this.statement<[number, number], KeptText>(
    `SELECT t.seq, t.target, t.detail, t.document_id AS documentId, r.action FROM audit_text t
     LEFT JOIN audit_record r ON r.seq = t.seq WHERE t.seq > ? ORDER BY t.seq LIMIT ?`,
  );
  readonly #dropTexts = this.statement('DELETE FROM audit_text WHERE seq IN (SELECT value FROM json_each(?))');
  /** Read from the schema at the first erase. The schema does not change while the file is open. */
  #dependents: readonly Dependent[] | undefined = undefined;

  /** Removes claims and messages about it at once, since requests could find them. */
  dropAtOnce(document: number): void {
    this.#dropThreads.run(document);
    this.#dropClaims.run(document);
  }

  /** The events of the document itself, the newest first: its locations before and after; null for nowhere. */
  eventsOf(document: number): { readonly from: Location; readonly to: Location | null; readonly moment: number }[] {
    return this.#events.all(document, document, document);
  }

  /** The document's location from a commit on, for every commit that states it, in order; null for nowhere. */
  placesOf(
    document: number,
  ): { readonly commit: string; readonly location: string | null; readonly blob: string | null }[] {
    return this.#places
      .all(document, document, document)
      .map(({ commit, location, blob }) => ({ commit, location, blob }));
  }

  /** Where it was before its own moves, the newest first. */
  formerPlaces(document: number, most: number): Location[] {
    return this.#formerPlaces.all(document, most);
  }

  /** The connectors that wrote versions of it. */
  mirrorsOf(document: number): string[] {
    return this.#mirrors.all(document);
  }

  /** The commit of the first version of the oldest of these documents. */
  firstCommit(documents: readonly number[]): string | undefined {
    return this.#firstCommit.get(JSON.stringify(documents));
  }

  /**
   * The current and former names of all documents and folders, live or not, in batches.
   * @param most rows of a batch: the caller may yield between two
   */
  *namedPlaces(most: number): Generator<NamedPlace[]> {
    for (const { columns, table, key, start, isName } of namedRows) {
      const marks = key.map(() => '?').join(', ');
      const keys = key.join(', ');
      const page = this.connection
        .prepare<unknown[], unknown[]>(
          `SELECT ${keys}, ${columns} FROM ${table} WHERE (${keys}) > (${marks}) ORDER BY ${keys} LIMIT ${most}`,
        )
        .raw();
      for (let after: readonly unknown[] | undefined = start; after !== undefined;) {
        const rows = page.all(...after);
        yield rows.flatMap((row) => {
          const [document, ...places] = row.slice(key.length) as [number | null, ...string[]];
          return places.map((place) => ({ document, place, isName }));
        });
        after = rows.at(-1)?.slice(0, key.length);
      }
    }
  }

  /**
   * Removes some rows that reference the document, from all tables; the document's own stays.
   * @returns how many, and the bytes of the versions among them
   */
  dropSome(document: number, most: number): { readonly rows: number; readonly bytes: number } {
    const dependents = this.#dependents ?? this.#findDependents();
    this.#dependents = dependents;
    for (const { size, drop } of dependents) {
      const bytes = size?.get(document, most) ?? 0;
      const { changes } = drop.run(document, most);
      if (changes > 0) return { rows: changes, bytes };
    }
    return { rows: 0, bytes: 0 };
  }

  /** Removes the document's own row, and the deletion of its folder if nothing else of that is left. */
  dropDocument(document: number): void {
    this.#dropAnswers.run(document);
    const moment = this.#dropDocument.get(document);
    if (moment !== undefined) this.#dropSettled.run(moment);
  }

  /** Texts of the audit log behind a record's number, in order. */
  textsAfter(seq: number, most: number): KeptText[] {
    return this.#texts.all(seq, most);
  }

  /** Removes texts beside their records; the chain verifies without them. */
  dropTexts(seqs: readonly number[]): void {
    this.#dropTexts.run(JSON.stringify(seqs));
  }

  /** Every table with rows that reference documents, indirect references first. */
  #findDependents(): Dependent[] {
    const references = this.connection
      .prepare<[], Reference>(
        `SELECT m.name AS child, f."table" AS parent, f."from" AS "from", f."to" AS "to"
         FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
      )
      .all();
    const found = new Map<string, { readonly table: string; readonly condition: string; readonly depth: number }>();
    const visit = (parent: string, rows: (column: string, to: string) => string, depth: number): void => {
      for (const { child: table, parent: of, from, to: named } of references) {
        if (of !== parent || table === parent) continue;
        const condition = rows(from, named);
        found.set(`${table}.${from}`, { table, condition, depth });
        visit(table, (column, to) => `${column} IN (SELECT ${to} FROM ${table} WHERE ${condition})`, depth + 1);
      }
    };
    visit('document', (column) => `${column} = ?`, 1);
    return [...found.values()].toSorted((a, b) => b.depth - a.depth).map((each) => this.#statementsFor(each));
  }

  #statementsFor({ table, condition }: { readonly table: string; readonly condition: string }): Dependent {
    const keys = (this.connection.pragma(`table_info(${table})`) as { name: string; pk: number }[])
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk)
      .map(({ name }) => name)
      .join(', ');
    const chosen = `(${keys}) IN (SELECT ${keys} FROM ${table} WHERE ${condition} LIMIT ?)`;
    const size = `SELECT coalesce(sum(size), 0) AS bytes FROM version WHERE ${chosen}`;
    return {
      size: table === 'version' ? new Statement(this.connection, size, 'value') : undefined,
      drop: new Statement(this.connection, `DELETE FROM ${table} WHERE ${chosen}`),
    };
  }
}

/** A foreign key. */
interface Reference {
  readonly child: string;
  readonly parent: string;
  readonly from: string;
  readonly to: string;
}

/** Rows with current or former names: a document's number, null for a folder, and locations or names. */
const namedRows = [
  { table: 'document', columns: 'number, name', key: ['number'], start: [0], isName: true },
  { table: 'folder', columns: 'NULL, name', key: ['number'], start: [1], isName: true },
  { table: 'version', columns: 'document, location', key: ['document', 'sequence'], start: [0, 0], isName: false },
  { table: 'relocation', columns: 'document, from_location, to_location', key: ['number'], start: [0], isName: false },
  { table: 'folder_deletion', columns: 'NULL, location', key: ['moment'], start: [-1], isName: false },
] as const;
