import type { AuditFilter } from '../../domain/audit-entry.js';
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

/** A record without its commitments. */
export type FoundRecord = Omit<AuditRow, 'target' | 'detail'>;

/** Finds records by the documents and places that they are about. */
export interface PlaceFinder {
  /** The last record about each of these documents up to a number. Those without one are left out. */
  lastAboutThese(ids: readonly string[], upTo: number): LastRecord[];
  /** Records about a document up to a number, the last first. */
  about(documentId: string, upTo: number, limit: number): number[];
  /** Records with this target and without a known document up to a number, the last first. */
  naming(target: string, upTo: number, limit: number): number[];
  /** The first target after one and before another, of records without a known document. */
  nextTarget(after: string, before: string): string | undefined;
}

/** As in the index of the same condition, term by term. */
const isRare = `action <> 'document.read' AND action <> 'document.list' AND action <> 'document.search'
  AND action <> 'document.create' AND action <> 'document.update' AND action <> 'document.edit'
  AND action <> 'folder.list' AND action <> 'folder.browse'`;

/** What a record has to have; null where it may have anything. */
type Tests = Readonly<Record<keyof Omit<AuditFilter, 'from' | 'to'>, string | null>> & {
  readonly from: number;
  readonly to: number;
};

const passesTests = `(@principal IS NULL OR r.principal = @principal)
  AND (@credential IS NULL OR r.credential = @credential)
  AND (@action IS NULL OR r.action = @action)
  AND (@outcome IS NULL OR (r.code IS NULL) = (@outcome = 'done'))
  AND (@requestId IS NULL OR r.request_id = @requestId)
  AND r.at >= @from AND r.at <= @to`;
const recordColumns =
  'r.seq, r.at, r.principal, r.credential, r.interface, r.action, r.code, r.version, r.request_id, r.hash';

function toTests({ principal, credential, action, outcome, requestId, from, to }: AuditFilter): Tests {
  return {
    principal: principal ?? null,
    credential: credential ?? null,
    action: action ?? null,
    outcome: outcome ?? null,
    requestId: requestId ?? null,
    from: from ?? Number.MIN_SAFE_INTEGER,
    to: to ?? Number.MAX_SAFE_INTEGER,
  };
}

/** Finds records of the audit log by what they are about, each in its order and without reading others. */
export class AuditQueryTable extends Table {
  readonly #rareActions = this.valueStatement<[string], number>(`SELECT ${isRare} FROM (SELECT ? AS action)`);
  readonly #ofPrincipal = this.#seqs('principal = ?');
  readonly #ofPrincipalAndAction = this.#seqs(`principal = ? AND action = ? AND ${isRare}`);
  readonly #refusedOfPrincipal = this.#seqs('principal = ? AND code IS NOT NULL');
  readonly #ofAction = this.#seqs(`action = ? AND ${isRare}`);
  readonly #refused = this.#seqs('code IS NOT NULL');
  readonly #countRefused = this.valueStatement<[number, number, number], number>(
    `SELECT count(*) FROM (SELECT 1 FROM audit_record INDEXED BY audit_record_refused
     WHERE code IS NOT NULL AND seq >= ? AND seq <= ? LIMIT ?)`,
  );
  readonly #between = this.statement<[Tests & { first: number; last: number; limit: number }], FoundRecord>(
    `SELECT ${recordColumns} FROM audit_record AS r
     WHERE r.seq >= @first AND r.seq <= @last AND ${passesTests} ORDER BY r.seq DESC LIMIT @limit`,
  );
  // '0' is the character after '/'.
  readonly #among = this.statement<[Tests & { seqs: string; naming: string | null }], FoundRecord & RecordPlace>(
    `SELECT ${recordColumns}, t.target, t.document_id AS documentId
     FROM json_each(@seqs) AS wanted CROSS JOIN audit_record AS r ON r.seq = wanted.value
       LEFT JOIN audit_text AS t ON t.seq = r.seq
     WHERE ${passesTests}
       AND (@naming IS NULL OR t.target = @naming OR (t.target > @naming || '/' AND t.target < @naming || '0'))
     ORDER BY r.seq DESC`,
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
      about: this.valueStatement<[string, number, number], number>(
        `SELECT seq FROM audit_text WHERE document_id = ? AND ${condition} AND seq <= ? ORDER BY seq DESC LIMIT ?`,
      ),
      naming: this.valueStatement<[string, number, number], number>(
        `SELECT seq FROM audit_text WHERE document_id IS NULL AND target = ? AND ${condition} AND seq <= ?
         ORDER BY seq DESC LIMIT ?`,
      ),
      nextTarget: this.valueStatement<[string, string], string | null>(
        `SELECT min(target) FROM audit_text
         WHERE document_id IS NULL AND target > ? AND target < ? AND ${condition}`,
      ),
    };
  }

  /** Numbers of records up to one, the last first. @param condition as in an index */
  #seqs(condition: string) {
    return this.valueStatement<[...keys: string[], upTo: number, limit: number], number>(
      `SELECT seq FROM audit_record WHERE ${condition} AND seq <= ? ORDER BY seq DESC LIMIT ?`,
    );
  }

  /** Whether records of the action are found by it. Frequent actions are not. */
  isRare(action: string): boolean {
    return this.#rareActions.get(action) === 1;
  }

  /** Records of a principal up to a number, the last first. */
  ofPrincipal(id: string, upTo: number, limit: number): number[] {
    return this.#ofPrincipal.all(id, upTo, limit);
  }

  /** Records of a principal's rare action up to a number, the last first. */
  ofPrincipalAndAction(id: string, action: string, upTo: number, limit: number): number[] {
    return this.#ofPrincipalAndAction.all(id, action, upTo, limit);
  }

  /** A principal's refusals up to a number, the last first. */
  refusedOf(id: string, upTo: number, limit: number): number[] {
    return this.#refusedOfPrincipal.all(id, upTo, limit);
  }

  /** Records of a rare action up to a number, the last first. */
  ofAction(action: string, upTo: number, limit: number): number[] {
    return this.#ofAction.all(action, upTo, limit);
  }

  /** Refusals up to a number, the last first. */
  refused(upTo: number, limit: number): number[] {
    return this.#refused.all(upTo, limit);
  }

  /** The number of refusals in a range; at most so many. */
  countRefused(from: number, to: number, most: number): number {
    return this.#countRefused.get(from, to, most) ?? 0;
  }

  /** Records of a range that pass, the last first. Reads the range until there are so many. */
  between(first: number, last: number, filter: AuditFilter, limit: number): FoundRecord[] {
    return this.#between.all({ ...toTests(filter), first, last, limit });
  }

  /**
   * Those of some records that are rows and pass, the last first, with what they are about.
   * @param naming only records whose text names this place or one below it
   */
  among(seqs: readonly number[], filter: AuditFilter, naming?: Location): (FoundRecord & RecordPlace)[] {
    const place = naming === undefined || naming === '' ? null : naming;
    return this.#among.all({ ...toTests(filter), seqs: JSON.stringify(seqs), naming: place });
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
    const { lastAboutThese, about, naming, nextTarget } = isRefused ? this.#refusedAtPlaces : this.#any;
    return {
      lastAboutThese: (ids, upTo) =>
        lastAboutThese.all(upTo, JSON.stringify(ids)).flatMap(({ key, seq }) => (seq === null ? [] : [{ key, seq }])),
      about: (documentId, upTo, limit) => about.all(documentId, upTo, limit),
      naming: (target, upTo, limit) => naming.all(target, upTo, limit),
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
