import type { Location } from '../../domain/location.js';
import { Table } from '../statement.js';

/** A table whose rows reference a document, directly or through other tables; deepest first. */
interface Dependent {
  readonly table: string;
  readonly key: readonly string[];
  /** Finds its rows by the document's number. */
  readonly condition: string;
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
  readonly #dropDocument = this.statement('DELETE FROM document WHERE number = ?');
  readonly #texts = this.statement<[number, number], KeptText>(
    `SELECT t.seq, t.target, t.detail, t.document_id AS documentId, r.action FROM audit_text t
     LEFT JOIN audit_record r ON r.seq = t.seq WHERE t.seq > ? ORDER BY t.seq LIMIT ?`,
  );
  readonly #dropTexts = this.statement('DELETE FROM audit_text WHERE seq IN (SELECT value FROM json_each(?))');

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
    for (const { table, key, condition } of this.#dependents()) {
      const keys = key.join(', ');
      const chosen = `SELECT ${keys} FROM ${table} WHERE ${condition} LIMIT ${most}`;
      const bytes =
        table !== 'version'
          ? 0
          : (this.connection
              .prepare<[number], { bytes: number }>(
                `SELECT coalesce(sum(size), 0) AS bytes FROM version WHERE (${keys}) IN (${chosen})`,
              )
              .get(document)?.bytes ?? 0);
      const { changes } = this.connection.prepare(`DELETE FROM ${table} WHERE (${keys}) IN (${chosen})`).run(document);
      if (changes > 0) return { rows: changes, bytes };
    }
    return { rows: 0, bytes: 0 };
  }

  /** Removes the document's own row. */
  dropDocument(document: number): void {
    this.#dropAnswers.run(document);
    this.#dropDocument.run(document);
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
  #dependents(): Dependent[] {
    const tables = this.connection
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
    const found = new Map<string, Dependent & { readonly depth: number }>();
    const visit = (parent: string, rows: (column: string, to: string) => string, depth: number): void => {
      for (const table of tables) {
        for (const reference of this.connection.pragma(`foreign_key_list(${table})`) as Reference[]) {
          if (reference.table !== parent || table === parent) continue;
          const condition = rows(reference.from, reference.to);
          found.set(`${table}.${reference.from}`, { table, key: this.#keyOf(table), condition, depth });
          visit(table, (column, to) => `${column} IN (SELECT ${to} FROM ${table} WHERE ${condition})`, depth + 1);
        }
      }
    };
    visit('document', (column) => `${column} = ?`, 1);
    return [...found.values()].toSorted((a, b) => b.depth - a.depth);
  }

  #keyOf(table: string): string[] {
    return (this.connection.pragma(`table_info(${table})`) as { name: string; pk: number }[])
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk)
      .map(({ name }) => name);
  }
}

interface Reference {
  readonly table: string;
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
