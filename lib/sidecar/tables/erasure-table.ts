import type { Erasure } from '../../domain/erasure.js';
import { Table } from '../statement.js';

/** An erase under way, with its remaining search. */
export interface OpenErasure extends Erasure {
  readonly number: number;
  /** Number of the document; null once its rows are gone. */
  readonly document: number | null;
  readonly documentId: string | null;
  /** Every location that it ever had; null until they are gathered, and again once the search by them is over. */
  readonly locations: readonly string[] | null;
}

/** Erases under way, in numbers. */
export interface ErasureTally {
  readonly open: number;
  readonly hindered: number;
  /** Milliseconds since 1970; null where there is none. */
  readonly firstAt: number | null;
}

const columns = `id, phase, requested_by AS requestedBy, requested_at AS requestedAt, versions, comments, bytes,
  final_at AS finalAt, hindrance`;

/** Every look-up of deleted documents goes by the location or the commit of the deletion. */
const hide = 'UPDATE document SET deleted_location = NULL, deleted_commit = NULL WHERE folder IS NULL AND';

/** Erases, under way and final. */
export class ErasureTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO erasure (id, phase, document, document_id, requested_by, requested_at, versions, comments, bytes)
     VALUES (?, 'accepted', ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #hide = this.statement(`${hide} number = ?`);
  readonly #hideAgain = this.statement(
    `${hide} number IN (SELECT document FROM erasure WHERE phase <> 'final' AND document IS NOT NULL)`,
  );
  readonly #open = this.statement<[], Omit<OpenErasure, 'locations'> & { locations: string | null }>(
    `SELECT ${columns}, number, document, document_id AS documentId, locations FROM erasure WHERE phase <> 'final'
     ORDER BY number`,
  );
  readonly #tally = this.statement<[], ErasureTally>(
    `SELECT count(*) AS open, count(hindrance) AS hindered, min(requested_at) AS firstAt FROM erasure WHERE phase <> 'final'`,
  );
  readonly #byId = this.statement<[string], Erasure>(`SELECT ${columns} FROM erasure WHERE id = ?`);
  readonly #list = this.statement<[number, number], Erasure & { readonly number: number }>(
    `SELECT ${columns}, number FROM erasure WHERE number < ? ORDER BY number DESC LIMIT ?`,
  );
  readonly #listOf = this.statement<[string, number, number], Erasure & { readonly number: number }>(
    `SELECT ${columns}, number FROM erasure WHERE requested_by = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  );
  readonly #newest = this.valueStatement<[], number | null>('SELECT max(number) FROM erasure');
  readonly #setPhase = this.statement('UPDATE erasure SET phase = ?, hindrance = NULL WHERE number = ?');
  readonly #hinder = this.statement('UPDATE erasure SET hindrance = ? WHERE number = ?');
  readonly #setLocations = this.statement('UPDATE erasure SET locations = ? WHERE number = ?');
  readonly #dropDocument = this.statement('UPDATE erasure SET document = NULL WHERE number = ?');
  readonly #forget = this.statement('UPDATE erasure SET document_id = NULL, locations = NULL WHERE number = ?');
  readonly #finish = this.statement("UPDATE erasure SET phase = 'final', final_at = ? WHERE number = ?");
  readonly #measure = this.statement<[number, number], { versions: number; bytes: number; comments: number }>(
    `SELECT count(*) AS versions, coalesce(sum(size), 0) AS bytes,
       (SELECT count(*) FROM comment c JOIN comment_thread t ON t.number = c.thread WHERE t.document = ?) AS comments
     FROM version WHERE document = ?`,
  );

  /** The size of a document. */
  measure(document: number): Pick<Erasure, 'versions' | 'comments' | 'bytes'> {
    return this.#measure.get(document, document) ?? { versions: 0, comments: 0, bytes: 0 };
  }

  /** Records an erase, and hides the deleted document from all requests. @returns the number of its receipt */
  accept(erasure: Erasure, document: number, documentId: string): number {
    const { id, requestedBy, requestedAt, versions, comments, bytes } = erasure;
    const row = this.#insert.run(id, document, documentId, requestedBy, requestedAt, versions, comments, bytes);
    this.#hide.run(document);
    return Number(row.lastInsertRowid);
  }

  /** Hides the documents being erased once more, after rows were made again from the history. */
  hideAgain(): void {
    this.#hideAgain.run();
  }

  /** How many erases are under way, how many the history prevents, and when the first was requested. */
  tally(): ErasureTally {
    return this.#tally.get() ?? { open: 0, hindered: 0, firstAt: null };
  }

  /** The erases under way, in the order of their requests. */
  open(): OpenErasure[] {
    return this.#open.all().map(({ locations, ...row }) => ({
      ...row,
      locations: locations === null ? null : (JSON.parse(locations) as string[]),
    }));
  }

  /** Number of the last one requested; 0 for none. */
  newest(): number {
    return this.#newest.get() ?? 0;
  }

  find(id: string): Erasure | undefined {
    return this.#byId.get(id);
  }

  /** The newest first, with a number below `before`. */
  list(before: number, limit: number): (Erasure & { readonly number: number })[] {
    return this.#list.all(before, limit);
  }

  /** The same of one principal's requests. */
  listOf(principalId: string, before: number, limit: number): (Erasure & { readonly number: number })[] {
    return this.#listOf.all(principalId, before, limit);
  }

  setPhase(number: number, phase: 'accepted' | 'moved'): void {
    this.#setPhase.run(phase, number);
  }

  /** Records why it cannot be carried out; removed when it goes on. */
  hinder(number: number, hindrance: string): void {
    this.#hinder.run(hindrance, number);
  }

  setLocations(number: number, locations: readonly string[]): void {
    this.#setLocations.run(JSON.stringify(locations), number);
  }

  /** The document's rows are gone, and its number may be another's. */
  dropDocument(number: number): void {
    this.#dropDocument.run(number);
  }

  /** From here on the row names nothing. */
  forget(number: number): void {
    this.#forget.run(number);
  }

  finish(number: number, at: number): void {
    this.#finish.run(at, number);
  }
}
