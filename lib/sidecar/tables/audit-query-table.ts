import type { Location } from '../../domain/location.js';
import { Table } from '../statement.js';
import type { AuditRow } from './audit-table.js';

/** What a record is about, as far as its text is still there. */
export interface RecordPlace {
  readonly target: string | null;
  readonly documentId: string | null;
}

/** A key of records, and its last record before some other. */
export interface LastRecord {
  readonly key: string;
  readonly seq: number;
}

/** Finds records by the documents and places that they are about. */
export interface PlaceFinder {
  /** The last record about each of these documents up to a number. Those without one are left out. */
  lastAboutThese(ids: readonly string[], upTo: number): LastRecord[];
  lastAbout(documentId: string, upTo: number): number | undefined;
  /** The last record with this target and without a known document. */
  lastNaming(target: string, upTo: number): number | undefined;
  /** The first target after one and before another, of records without a known document. */
  nextTarget(after: string, before: string): string | undefined;
}

/** As in the index of the same condition. */
const isRare = `action NOT IN ('document.read', 'document.list', 'document.search', 'document.create', 'document.update',
    'document.edit', 'folder.list', 'folder.browse')`;

/** Finds records of the audit log by what they are about, each in its order and without reading others. */
export class AuditQueryTable extends Table {
  readonly #rareActions = this.valueStatement<[string], number>(`SELECT ${isRare} FROM (SELECT ? AS action)`);
  readonly #ofPrincipal = this.valueStatement<[string, number], number>(
    'SELECT seq FROM audit_record WHERE principal = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
  );
  readonly #ofPrincipalAndAction = this.valueStatement<[string, string, number], number>(
    `SELECT seq FROM audit_record WHERE principal = ? AND action = ? AND ${isRare} AND seq <= ?
     ORDER BY seq DESC LIMIT 1`,
  );
  readonly #refusedOfPrincipal = this.valueStatement<[string, number], number>(
    'SELECT seq FROM audit_record WHERE principal = ? AND code IS NOT NULL AND seq <= ? ORDER BY seq DESC LIMIT 1',
  );
  readonly #ofAction = this.valueStatement<[string, number], number>(
    `SELECT seq FROM audit_record WHERE action = ? AND ${isRare} AND seq <= ? ORDER BY seq DESC LIMIT 1`,
  );
  readonly #refused = this.valueStatement<[number], number>(
    'SELECT seq FROM audit_record WHERE code IS NOT NULL AND seq <= ? ORDER BY seq DESC LIMIT 1',
  );
  readonly #countRefused = this.valueStatement<[number, number, number], number>(
    `SELECT count(*) FROM (SELECT 1 FROM audit_record INDEXED BY audit_record_refused
     WHERE code IS NOT NULL AND seq >= ? AND seq <= ? LIMIT ?)`,
  );
  readonly #before = this.statement<[number, number], AuditRow>(
    'SELECT * FROM audit_record WHERE seq <= ? ORDER BY seq DESC LIMIT ?',
  );
  readonly #ofRequest = this.valueStatement<[number, number, string], number>(
    'SELECT seq FROM audit_record WHERE seq >= ? AND seq <= ? AND request_id = ?',
  );
  readonly #marks = this.arrayStatement<[number, number], readonly [at: number, requestId: string | null]>(
    'SELECT at, request_id FROM audit_record WHERE seq >= ? AND seq <= ? ORDER BY seq',
  );
  readonly #first = this.valueStatement<[], number>('SELECT min(seq) FROM audit_record');
  readonly #any = this.#waysTo('true');
  readonly #refusedAtPlaces = this.#waysTo('is_refused = 1');
  readonly #place = this.statement<[number], RecordPlace>(
    'SELECT target, document_id AS documentId FROM audit_text WHERE seq = ?',
  );
  readonly #documentsIn = this.statement<[number, string, number], { id: string; name: string }>(
    'SELECT id, name FROM document WHERE folder = ? AND name > ? ORDER BY name LIMIT ?',
  );
  readonly #deletedAt = this.valueStatement<[string], string>('SELECT id FROM document WHERE deleted_location = ?');
  readonly #deletedWithin = this.statement<[string, string, string, number, number], DeletedPlace>(
    `SELECT id, deleted_location AS location, number FROM document
     WHERE deleted_location >= ? AND deleted_location < ? AND (deleted_location, number) > (?, ?)
     ORDER BY deleted_location, number LIMIT ?`,
  );
  readonly #deletedById = this.valueStatement<[string], Location>(
    'SELECT deleted_location FROM document WHERE id = ? AND folder IS NULL AND deleted_location IS NOT NULL',
  );
  readonly #numberOf = this.valueStatement<[string], number>('SELECT number FROM document WHERE id = ?');

  /** The ways to records about documents and places. @param condition as in indexes of the texts */
  #waysTo(condition: string) {
    return {
      lastAboutThese: this.statement<[number, string], { key: string; seq: number | null }>(
        `SELECT value AS key,
           (SELECT max(seq) FROM audit_text WHERE document_id = value AND ${condition} AND seq <= ?) AS seq
         FROM json_each(?)`,
      ),
      lastAbout: this.valueStatement<[string, number], number | null>(
        `SELECT max(seq) FROM audit_text WHERE document_id = ? AND ${condition} AND seq <= ?`,
      ),
      lastNaming: this.valueStatement<[string, number], number | null>(
        `SELECT max(seq) FROM audit_text WHERE document_id IS NULL AND target = ? AND ${condition} AND seq <= ?`,
      ),
      nextTarget: this.valueStatement<[string, string], string | null>(
        `SELECT min(target) FROM audit_text
         WHERE document_id IS NULL AND target > ? AND target < ? AND ${condition}`,
      ),
    };
  }

  /** Whether records of the action are found by it. Frequent actions are not. */
  isRare(action: string): boolean {
    return this.#rareActions.get(action) === 1;
  }

  /** The last record of a principal up to a number. */
  lastOfPrincipal(id: string, upTo: number): number | undefined {
    return this.#ofPrincipal.get(id, upTo);
  }

  /** The last record of a principal's rare action up to a number. */
  lastOfPrincipalAndAction(id: string, action: string, upTo: number): number | undefined {
    return this.#ofPrincipalAndAction.get(id, action, upTo);
  }

  /** A principal's last refusal up to a number. */
  lastRefusedOf(id: string, upTo: number): number | undefined {
    return this.#refusedOfPrincipal.get(id, upTo);
  }

  /** The last record of a rare action up to a number. */
  lastOfAction(action: string, upTo: number): number | undefined {
    return this.#ofAction.get(action, upTo);
  }

  /** The last refusal up to a number. */
  lastRefused(upTo: number): number | undefined {
    return this.#refused.get(upTo);
  }

  /** The number of refusals in a range; at most so many. */
  countRefused(from: number, to: number, most: number): number {
    return this.#countRefused.get(from, to, most) ?? 0;
  }

  /** Records up to a number, the last first. */
  upTo(seq: number, limit: number): AuditRow[] {
    return this.#before.all(seq, limit);
  }

  /** Records of a request within a range; reads all of the range. */
  ofRequest(requestId: string, from: number, to: number): number[] {
    return this.#ofRequest.all(from, to, requestId);
  }

  /** Time and request of each record of a range. */
  marks(from: number, to: number): (readonly [at: number, requestId: string | null])[] {
    return this.#marks.all(from, to);
  }

  /** The first record that is a row. */
  first(): number {
    return this.#first.get() ?? 1;
  }

  /** Finds records by documents and places: all of them, or refusals alone. */
  atPlaces(isRefused: boolean): PlaceFinder {
    const { lastAboutThese, lastAbout, lastNaming, nextTarget } = isRefused ? this.#refusedAtPlaces : this.#any;
    return {
      lastAboutThese: (ids, upTo) =>
        lastAboutThese.all(upTo, JSON.stringify(ids)).flatMap(({ key, seq }) => (seq === null ? [] : [{ key, seq }])),
      lastAbout: (documentId, upTo) => lastAbout.get(documentId, upTo) ?? undefined,
      lastNaming: (target, upTo) => lastNaming.get(target, upTo) ?? undefined,
      nextTarget: (after, before) => nextTarget.get(after, before) ?? undefined,
    };
  }

  placeOf(seq: number): RecordPlace | undefined {
    return this.#place.get(seq);
  }

  /** Ids and names of the live documents directly in a folder, by name. */
  documentsIn(folder: number, after: string, limit: number): { readonly id: string; readonly name: string }[] {
    return this.#documentsIn.all(folder, after, limit);
  }

  /** Ids of the documents deleted at a location. */
  deletedAt(location: Location): string[] {
    return this.#deletedAt.all(location);
  }

  /** Documents deleted below a folder, by location. @param after null for the first ones */
  deletedBelow(folder: Location, after: DeletedPlace | null, limit: number): DeletedPlace[] {
    // '0' is the character after '/'.
    const [from, end] = folder === '' ? ['', '\u{10ffff}'] : [`${folder}/`, `${folder}0`];
    return this.#deletedWithin.all(from, end, after?.location ?? from, after?.number ?? 0, limit);
  }

  /** The last location of a deleted document; undefined for others. */
  deletedPlaceOf(id: string): Location | undefined {
    return this.#deletedById.get(id);
  }

  /** The number of a document, live or deleted. */
  numberOf(id: string): number | undefined {
    return this.#numberOf.get(id);
  }
}

/** A deleted document with its last location. */
export interface DeletedPlace {
  readonly id: string;
  readonly location: string;
  readonly number: number;
}
