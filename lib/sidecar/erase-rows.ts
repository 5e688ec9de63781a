import { nameOf, type Location } from '../domain/location.js';
import type { Connection } from './database.js';

/** A table whose rows hang on a document, directly or on others that do; deepest first. */
interface Dependent {
  readonly table: string;
  readonly key: readonly string[];
  /** Finds its rows by the document's number. */
  readonly condition: string;
}

/** A commit as the rewrite left it; null for one that is no more. */
export interface RewrittenCommit {
  readonly before: string;
  readonly after: string | null;
}

const oidLength = 20;
const nowhere = '0'.repeat(2 * oidLength);
/** Commits whose names lie in one row. */
const commitsInRow = 500;

/** The names of rewritten commits as rows keep them, in pieces that are a row each. */
export function encodeRewritten(commits: readonly RewrittenCommit[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < commits.length; start += commitsInRow) {
    const some = commits.slice(start, start + commitsInRow);
    const piece = new Uint8Array(some.length * 2 * oidLength);
    const bytes = Buffer.from(piece.buffer);
    for (const [index, { before, after }] of some.entries()) {
      bytes.write(before, index * 2 * oidLength, 'hex');
      if (after !== null) bytes.write(after, (index * 2 + 1) * oidLength, 'hex');
    }
    pieces.push(piece);
  }
  return pieces;
}

/** What a stretch of audit texts is looked through for. */
export interface Traces {
  readonly documentIds: readonly string[];
  /** Places and names; a text that holds one goes, unless it is about another document. */
  readonly words: readonly string[];
  /** Names as somebody would search for them: what was asked for and has all words of one goes likewise. */
  readonly names: readonly string[];
}

/** The words of a text, in small letters without their marks, however they are held apart. */
function plainWords(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/**
 * Takes documents out of every table, and leads what refers to rewritten commits to where those are now. All of it in
 * stretches, so that nobody waits long behind them, and each of them can be done again.
 */
export class EraseRows {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Claims and messages about it: gone at once, since they could be asked for. */
  dropAtOnce(document: number): void {
    this.#connection.prepare('DELETE FROM message_thread WHERE about_document = ?').run(document);
    this.#connection.prepare('DELETE FROM claim WHERE document = ?').run(document);
  }

  /** What happened to the document itself, the newest first: where it lay before and after; null for nowhere. */
  eventsOf(document: number): { readonly from: Location; readonly to: Location | null; readonly moment: number }[] {
    return this.#connection
      .prepare<[number, number, number], { from: Location; to: Location | null; moment: number }>(
        `SELECT location AS "from", location AS "to", moment FROM version WHERE document = ?
         UNION ALL SELECT from_location, to_location, moment FROM relocation WHERE document = ?
         UNION ALL SELECT location, NULL, moment FROM deletion WHERE document = ?
         ORDER BY moment DESC`,
      )
      .all(document, document, document);
  }

  /** Where the document lay from a commit on, for every commit that says so, in order; null for nowhere. */
  placesOf(
    document: number,
  ): { readonly commit: string; readonly location: string | null; readonly blob: string | null }[] {
    return this.#connection
      .prepare<[number, number, number], { commit: string; location: string | null; blob: string | null }>(
        `SELECT commit_oid AS "commit", location, blob_oid AS blob, moment FROM version WHERE document = ?
         UNION ALL SELECT commit_oid, to_location, NULL, moment FROM relocation WHERE document = ?
         UNION ALL SELECT commit_oid, NULL, NULL, moment FROM deletion WHERE document = ?
         ORDER BY moment`,
      )
      .all(document, document, document)
      .map(({ commit, location, blob }) => ({ commit, location, blob }));
  }

  /** The commit that made the first version of the one of these documents that came first. */
  firstCommit(documents: readonly number[]): string | undefined {
    return this.#connection
      .prepare<[string], { commit: string }>(
        `SELECT commit_oid AS "commit" FROM version WHERE document IN (SELECT value FROM json_each(?)) AND sequence = 1
         ORDER BY moment LIMIT 1`,
      )
      .get(JSON.stringify(documents))?.commit;
  }

  /**
   * Which of the names other documents, live or not, have or had: all names at once, in stretches of rows.
   * @param most rows of a stretch: whoever asks may rest between two
   */
  *namesOfOthers(names: ReadonlySet<string>, documents: ReadonlySet<number>, most: number): Generator<string[]> {
    for (const { columns, table, key, start } of namedRows) {
      const marks = key.map(() => '?').join(', ');
      const stretch = this.#connection
        .prepare<unknown[], [number, number, string]>(
          `SELECT ${columns} FROM ${table} WHERE (${key.join(', ')}) > (${marks}) ORDER BY ${key.join(', ')} LIMIT ${most}`,
        )
        .raw();
      for (let after: readonly unknown[] | undefined = start; after !== undefined;) {
        const rows = stretch.all(...after);
        yield rows.flatMap(([document, , location]) => {
          const name = nameOf(location as Location);
          return names.has(name) && !documents.has(document) ? [name] : [];
        });
        after = rows.at(-1)?.slice(0, key.length);
      }
    }
  }

  /**
   * Takes away some of the rows that hang on the document, whichever tables there are; the document's own stays.
   * @returns how many, and the bytes of the versions among them
   */
  dropSome(document: number, most: number): { readonly rows: number; readonly bytes: number } {
    for (const { table, key, condition } of this.#dependents()) {
      const keys = key.join(', ');
      const chosen = `SELECT ${keys} FROM ${table} WHERE ${condition} LIMIT ${most}`;
      const bytes =
        table !== 'version'
          ? 0
          : (this.#connection
              .prepare<[number], { bytes: number }>(
                `SELECT coalesce(sum(size), 0) AS bytes FROM version WHERE (${keys}) IN (${chosen})`,
              )
              .get(document)?.bytes ?? 0);
      const { changes } = this.#connection.prepare(`DELETE FROM ${table} WHERE (${keys}) IN (${chosen})`).run(document);
      if (changes > 0) return { rows: changes, bytes };
    }
    return { rows: 0, bytes: 0 };
  }

  /** Takes the document's own row. */
  dropDocument(document: number): void {
    this.#connection.prepare('DELETE FROM idempotency WHERE document = ?').run(document);
    this.#connection.prepare('DELETE FROM document WHERE number = ?').run(document);
  }

  /**
   * Takes away texts of the audit log that would tell what was erased; the chain verifies without them.
   * @param most texts that are looked at
   * @returns the last record that was looked at; `after` when there are no more
   */
  clearTexts({ documentIds, words, names }: Traces, after: number, most: number): number {
    const texts = this.#connection
      .prepare<
        [number, number],
        { seq: number; target: string | null; detail: string | null; document_id: string | null }
      >('SELECT seq, target, detail, document_id FROM audit_text WHERE seq > ? ORDER BY seq LIMIT ?')
      .all(after, most);
    const ids = new Set(documentIds);
    // As they stand in the detail, which is JSON.
    const quoted = words.map((word) => JSON.stringify(word).slice(1, -1));
    const holds = (text: string | null, some: readonly string[]): boolean =>
      text !== null && some.some((word) => text.includes(word));
    const phrases = names.map(plainWords).filter((phrase) => phrase.length > 0);
    const asksFor = (text: string | null): boolean => {
      if (text === null || phrases.length === 0) return false;
      const asked = new Set(plainWords(text));
      return phrases.some((phrase) => phrase.every((word) => asked.has(word)));
    };
    const telling = texts.filter(({ target, detail, document_id: id }) =>
      id === null
        ? holds(target, words) || holds(detail, words) || holds(detail, quoted) || asksFor(target)
        : ids.has(id),
    );
    this.#connection
      .prepare('DELETE FROM audit_text WHERE seq IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(telling.map(({ seq }) => seq)));
    return texts.at(-1)?.seq ?? after;
  }

  /** @param pieces what `encodeRewritten` made */
  noteRewritten(pieces: readonly Uint8Array[]): void {
    const insert = this.#connection.prepare('INSERT INTO rewritten_commit (oids) VALUES (?)');
    for (const piece of pieces) insert.run(piece);
  }

  /** Forgets some of what the rewrite noted. @param most rows @returns how many */
  forgetRewritten(most: number): number {
    return this.#connection
      .prepare('DELETE FROM rewritten_commit WHERE number IN (SELECT number FROM rewritten_commit LIMIT ?)')
      .run(most).changes;
  }

  /**
   * Makes the table, in memory and for this connection, by which `repoint` goes; call it with what it returned until
   * that is null.
   * @param after null at the beginning
   * @param most rows of notes that are taken up in one go
   */
  takeUpRewritten(after: number | null, most: number): number | null {
    if (after === null) {
      this.#connection.exec('DROP TABLE IF EXISTS temp.moved_commit');
      this.#connection.exec(
        'CREATE TEMP TABLE moved_commit (old_oid TEXT PRIMARY KEY, new_oid TEXT) STRICT, WITHOUT ROWID',
      );
    }
    const rows = this.#connection
      .prepare<[number, number], { number: number; oids: Buffer }>(
        'SELECT number, oids FROM rewritten_commit WHERE number > ? ORDER BY number LIMIT ?',
      )
      .all(after ?? 0, most);
    const insert = this.#connection.prepare(
      'INSERT OR REPLACE INTO temp.moved_commit (old_oid, new_oid) VALUES (?, ?)',
    );
    for (const { oids } of rows) {
      for (let at = 0; at < oids.length; at += 2 * oidLength) {
        const now = oids.toString('hex', at + oidLength, at + 2 * oidLength);
        insert.run(oids.toString('hex', at, at + oidLength), now === nowhere ? null : now);
      }
    }
    return rows.at(-1)?.number ?? null;
  }

  /** Takes the table in memory away again. */
  dropTakenUp(): void {
    this.#connection.exec('DROP TABLE IF EXISTS temp.moved_commit');
  }

  /** Leads a stretch of one table's rows to where their commits are now, by what was taken up. @returns where to go on; null at the end */
  repoint({ table, key, column }: Repointed, after: readonly unknown[], most: number): readonly unknown[] | null {
    const keys = key.join(', ');
    const marks = key.map(() => '?').join(', ');
    const stretch = this.#connection
      .prepare(`SELECT ${keys} FROM ${table} WHERE (${keys}) > (${marks}) ORDER BY ${keys} LIMIT ${most}`)
      .raw()
      .all(...after) as unknown[][];
    const last = stretch.at(-1);
    if (last === undefined) return null;
    const within = `(${keys}) > (${marks}) AND (${keys}) <= (${marks})`;
    this.#connection
      .prepare(
        `UPDATE ${table} SET ${column} = (SELECT new_oid FROM temp.moved_commit WHERE old_oid = ${column})
         WHERE ${within} AND ${column} IN (SELECT old_oid FROM temp.moved_commit WHERE new_oid IS NOT NULL)`,
      )
      .run(...after, ...last);
    if (table === 'relocation' || table === 'folder_deletion') {
      // Of a folder in which nothing else was: the commit is no more, and so the event.
      this.#connection
        .prepare(
          `DELETE FROM ${table} WHERE ${within}
             AND ${column} IN (SELECT old_oid FROM temp.moved_commit WHERE new_oid IS NULL)`,
        )
        .run(...after, ...last);
    }
    return last;
  }

  /** Every table with rows that hang on documents, those that hang on others first. */
  #dependents(): Dependent[] {
    const tables = this.#connection
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
    const found = new Map<string, Dependent & { readonly depth: number }>();
    const visit = (parent: string, rows: (column: string, to: string) => string, depth: number): void => {
      for (const table of tables) {
        for (const reference of this.#connection.pragma(`foreign_key_list(${table})`) as Reference[]) {
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
    return (this.#connection.pragma(`table_info(${table})`) as { name: string; pk: number }[])
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

interface Repointed {
  readonly table: string;
  readonly key: readonly string[];
  readonly column: string;
  /** Before the first row. */
  readonly start: readonly unknown[];
}

/** Where rows name commits as they lie in the repository. */
export const repointedRows: readonly Repointed[] = [
  { table: 'version', key: ['document', 'sequence'], column: 'commit_oid', start: [0, 0] },
  { table: 'relocation', key: ['number'], column: 'commit_oid', start: [0] },
  { table: 'deletion', key: ['document', 'moment'], column: 'commit_oid', start: [0, -1] },
  { table: 'folder_deletion', key: ['moment'], column: 'commit_oid', start: [-1] },
  { table: 'document', key: ['number'], column: 'deleted_commit', start: [0] },
];

/** Rows that say what documents are or were called: the document's number, and its name or a whole location. */
const namedRows = [
  { table: 'document', columns: 'number, 0, name', key: ['number'], start: [0] },
  { table: 'version', columns: 'document, sequence, location', key: ['document', 'sequence'], start: [0, 0] },
] as const;
