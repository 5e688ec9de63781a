import type { VersionOperation } from '../../domain/history-entry.js';
import type { Location } from '../../domain/location.js';
import type { Author, PrincipalKind } from '../../domain/principal.js';
import { coverErasedId } from '../erased-id.js';
import { Table } from '../statement.js';

/** A document that a commit touched. */
export interface TouchedRow {
  readonly moment: number;
  /** Number of the document. */
  readonly document: number;
  readonly id: string;
  /** Number of the folder where it lies now; null when it is deleted. */
  readonly folder: number | null;
  readonly name: string;
  /** The place that it left; null for a version. */
  readonly from: Location | null;
}

/** What a commit did to a document. */
export interface DocumentEvent {
  /** Number of the document. */
  readonly document: number;
  readonly author: Author;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly did:
    | { readonly type: 'moved' | 'renamed' | 'deleted' }
    | {
        readonly type: 'written';
        readonly operation: VersionOperation;
        readonly sequence: number;
        readonly versionId: string;
        readonly message: string | null;
      };
}

/** Where a document is, or was deleted. */
export interface PresentRow {
  readonly number: number;
  readonly id: string;
  /** Number of its folder; null when it is deleted. */
  readonly folder: number | null;
  readonly name: string;
  readonly firstMoment: number;
  readonly sequence: number;
}

/** A move or deletion of a document itself. */
export interface Departure {
  readonly moment: number;
  readonly document: number;
  readonly from: Location;
}

/** Where an erased document was, as far as grants tell. */
export interface ErasedPlace {
  readonly number: number;
  /** Number of the erase's receipt. */
  readonly erasure: number;
  /** The moments between which it was there: from the first on, until before the last. */
  readonly since: number;
  readonly until: number;
  /** Milliseconds since 1970: when the erase was asked for. */
  readonly at: number;
  /** The places with grants at or above it. */
  readonly scopes: readonly Location[];
  readonly documentId: string;
}

interface ErasedRow extends Omit<ErasedPlace, 'scopes' | 'documentId'> {
  readonly sealedId: Uint8Array;
  readonly scopes: string;
}

interface AuthorRow {
  readonly author: string;
  readonly kind: PrincipalKind;
  readonly display_name: string;
}

interface EventRow extends AuthorRow {
  readonly document: number;
  readonly at: number;
}

interface MoveRow extends EventRow {
  readonly operation: 'rename' | 'move';
}

interface WriteRow extends EventRow {
  readonly operation: VersionOperation;
  readonly sequence: number;
  readonly id: string;
  readonly message: string | null;
}

/** A rename or move of a folder. */
export interface MovedFolder {
  readonly operation: 'rename' | 'move';
  readonly from: Location;
  readonly to: Location;
  readonly author: Author;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type MovedFolderRow = Omit<MovedFolder, 'author'> & AuthorRow;

const erasedColumns = 'SELECT number, erasure, since, until, at, scopes, sealed_id AS sealedId FROM erased_place';

const authorOf = ({ author, kind, display_name }: AuthorRow): Author => ({
  id: author,
  kind,
  displayName: display_name,
});

const author = 'e.document, e.at, e.author, p.kind, p.display_name';
const ofMoment =
  'JOIN principal p ON p.id = e.author WHERE e.moment = ? AND e.document > ? ORDER BY e.document LIMIT ?';

/** The column with the place that a document left. */
const leftPlace = { version: 'NULL', relocation: 'e.from_location', deletion: 'e.location' } as const;

/** Each finds its rows by an index, in order. */
export const feedStatements = {
  moves: `SELECT ${author}, e.operation FROM relocation e ${ofMoment}`,
  writes: `SELECT ${author}, e.operation, e.sequence, e.id, e.message FROM version e ${ofMoment}`,
  deletions: `SELECT ${author} FROM deletion e ${ofMoment}`,
  nextRelocation: `SELECT moment, document, from_location AS "from" FROM relocation
    WHERE document = ? AND moment > ? ORDER BY moment LIMIT 1`,
  nextDeletion: `SELECT moment, document, location AS "from" FROM deletion
    WHERE document = ? AND moment > ? ORDER BY moment LIMIT 1`,
  lastDeletion: 'SELECT max(moment) FROM deletion WHERE document = ? AND moment <= ?',
  relocatedSince: `SELECT moment, document, from_location AS "from" FROM relocation
    WHERE (moment, document) > (?, ?) AND document IS NOT NULL ORDER BY moment, document LIMIT ?`,
  deletedSince: `SELECT moment, document, location AS "from" FROM deletion
    WHERE (moment, document) > (?, ?) ORDER BY moment, document LIMIT ?`,
} as const;

/** What commits did, in order. Each statement finds its rows by an index. */
export class FeedTable extends Table {
  readonly #lastMoment = this.valueStatement<[], number>('SELECT moment FROM last_moment');
  readonly #touched = (['version', 'relocation', 'deletion'] as const).map((table) =>
    this.statement<[number, number, number], TouchedRow>(
      `SELECT e.moment, e.document, d.id, d.folder, d.name, ${leftPlace[table]} AS "from" FROM ${table} e
       CROSS JOIN document d ON d.number = e.document
       WHERE (e.moment, e.document) > (?, ?) ORDER BY e.moment, e.document LIMIT ?`,
    ),
  );
  readonly #nextMoments = (['version', 'relocation', 'deletion', 'erased_place'] as const).map((table) => {
    const column = table === 'erased_place' ? 'until' : 'moment';
    return this.valueStatement<[number], number>(
      `SELECT ${column} FROM ${table} WHERE ${column} > ? ORDER BY ${column} LIMIT 1`,
    );
  });
  readonly #moves = this.statement<[number, number, number], MoveRow>(feedStatements.moves);
  readonly #writes = this.statement<[number, number, number], WriteRow>(feedStatements.writes);
  readonly #deletions = this.statement<[number, number, number], EventRow>(feedStatements.deletions);
  readonly #present = this.statement<[number], PresentRow>(
    `SELECT number, id, folder, name, first_moment AS firstMoment, sequence FROM document d WHERE number = ?
     AND NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.document = d.number)`,
  );
  readonly #numbers = this.valueStatement<[string, number, number], number>(
    `SELECT d.number FROM json_each(?) j CROSS JOIN document d ON d.id = j.value
     WHERE d.number > ? ORDER BY d.number LIMIT ?`,
  );
  readonly #nextRelocation = this.statement<[number, number], Departure>(feedStatements.nextRelocation);
  readonly #nextDeletion = this.statement<[number, number], Departure>(feedStatements.nextDeletion);
  readonly #lastDeletion = this.valueStatement<[number, number], number | null>(feedStatements.lastDeletion);
  readonly #relocatedSince = this.statement<[number, number, number], Departure>(feedStatements.relocatedSince);
  readonly #deletedSince = this.statement<[number, number, number], Departure>(feedStatements.deletedSince);
  readonly #lastFolderMove = this.valueStatement<[], number | null>(
    'SELECT max(moment) FROM relocation WHERE document IS NULL',
  );
  readonly #inFolder = this.statement<[number, string, number], { number: number; name: string }>(
    'SELECT number, name FROM document WHERE folder = ? AND name > ? ORDER BY name LIMIT ?',
  );
  readonly #secret = this.valueStatement<[], string>("SELECT value FROM meta WHERE name = 'feed_secret'");
  readonly #setSecret = this.statement<[string]>("UPDATE meta SET value = ? WHERE name = 'feed_secret'");
  readonly #dropErased = this.statement<[]>('DELETE FROM erased_place');
  readonly #insertErased = this.statement(
    'INSERT INTO erased_place (erasure, since, until, at, scopes, sealed_id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  readonly #erasedAt = this.statement<[number, number, number], ErasedRow>(
    `${erasedColumns} WHERE until = ? AND number > ? ORDER BY number LIMIT ?`,
  );
  readonly #erasedDuring = this.statement<[number, number, number, number], ErasedRow>(
    `${erasedColumns} WHERE until > ? AND since <= ? AND number > ? ORDER BY number LIMIT ?`,
  );
  readonly #erasedFrom = this.statement<[number, number], ErasedRow>(
    `${erasedColumns} WHERE since = ? AND erasure = ?`,
  );
  readonly #erasedAfter = this.statement<[number], ErasedRow>(`${erasedColumns} WHERE until > ?`);
  readonly #folderMove = this.statement<[number], MovedFolderRow>(
    `SELECT e.operation, e.from_location AS "from", e.to_location AS "to", e.at, e.author, p.kind, p.display_name
     FROM relocation e JOIN principal p ON p.id = e.author WHERE e.moment = ? AND e.document IS NULL`,
  );

  /** Moment of the last event of a commit; 0 when there is none. */
  lastMoment(): number {
    return this.#lastMoment.get() ?? 0;
  }

  /** What commits touched behind this one, in order, at most so many. Moves of folders are not among them. */
  touchedAfter({ moment, document }: Pick<TouchedRow, 'moment' | 'document'>, limit: number): TouchedRow[] {
    return this.#touched
      .flatMap((statement) => statement.all(moment, document, limit))
      .toSorted((a, b) => a.moment - b.moment || a.document - b.document)
      .slice(0, limit);
  }

  /** The moment of the first event after this one; undefined when there is none. */
  nextMoment(after: number): number | undefined {
    return this.#nextMoments.reduce<number | undefined>((first, statement) => {
      const found = statement.get(after);
      return found === undefined || (first !== undefined && first <= found) ? first : found;
    }, undefined);
  }

  /**
   * What the commit of a moment did to documents with greater numbers, in the order of the numbers: moves, then
   * versions, then deletions. At most so many of each, and all of a document or nothing of it.
   */
  eventsAt(
    moment: number,
    after: number,
    limit: number,
  ): { readonly events: DocumentEvent[]; readonly isAll: boolean } {
    const lists: DocumentEvent[][] = [
      this.#moves.all(moment, after, limit).map((row) => ({
        ...shared(row),
        did: { type: row.operation === 'rename' ? 'renamed' : 'moved' },
      })),
      this.#writes.all(moment, after, limit).map((row) => ({
        ...shared(row),
        did: {
          type: 'written',
          operation: row.operation,
          sequence: row.sequence,
          versionId: row.id,
          message: row.message,
        },
      })),
      this.#deletions.all(moment, after, limit).map((row) => ({ ...shared(row), did: { type: 'deleted' } })),
    ];
    // Behind the last row of a full list, another list may know more than this one.
    const ends = lists.filter((list) => list.length === limit).map((list) => list.at(-1)?.document ?? 0);
    const end = Math.min(Number.MAX_SAFE_INTEGER, ...ends);
    const events = lists.flat().filter(({ document }) => document <= end);
    return { events: events.toSorted((a, b) => a.document - b.document), isAll: ends.length === 0 };
  }

  /** A document, live or deleted. Undefined for one that is being erased. */
  present(number: number): PresentRow | undefined {
    return this.#present.get(number);
  }

  /** Numbers of those among these documents behind the number, in order. */
  numbersOf(ids: readonly string[], after: number, limit: number): number[] {
    return this.#numbers.all(JSON.stringify(ids), after, limit);
  }

  /** The document's own first move or deletion after the moment. */
  nextDeparture(document: number, moment: number): Departure | undefined {
    const moved = this.#nextRelocation.get(document, moment);
    const deleted = this.#nextDeletion.get(document, moment);
    return moved === undefined || (deleted !== undefined && deleted.moment < moved.moment) ? deleted : moved;
  }

  /** Moment of the document's last deletion until then; undefined without one. */
  lastDeletion(document: number, moment: number): number | undefined {
    return this.#lastDeletion.get(document, moment) ?? undefined;
  }

  /** Moves and deletions of documents themselves, behind this one, in order. */
  departuresAfter(after: Pick<Departure, 'moment' | 'document'>, limit: number): Departure[] {
    const key = [after.moment, after.document, limit] as const;
    return [...this.#relocatedSince.all(...key), ...this.#deletedSince.all(...key)]
      .toSorted((a, b) => a.moment - b.moment || a.document - b.document)
      .slice(0, limit);
  }

  /** Moment of the last move of a folder; 0 without one. */
  lastFolderMove(): number {
    return this.#lastFolderMove.get() ?? 0;
  }

  /** Live documents directly in a folder behind the name, by name. */
  inFolder(folder: number, after: string, limit: number): { readonly number: number; readonly name: string }[] {
    return this.#inFolder.all(folder, after, limit);
  }

  /** The document's id is covered. */
  addErased({ erasure, since, until, at, scopes, documentId }: Omit<ErasedPlace, 'number'>): void {
    const sealedId = coverErasedId(this.#readSecret(), Buffer.from(documentId));
    this.#insertErased.run(erasure, since, until, at, JSON.stringify(scopes), sealedId);
  }

  /** Positions given until now are refused from now on, and what only they need goes. @param secret a new one */
  beginAnew(secret: string): void {
    this.#dropErased.run();
    this.#setSecret.run(secret);
  }

  #readSecret(): string {
    const secret = this.#secret.get();
    if (secret === undefined) throw new Error('The workspace has no secret for its feed.');
    return secret;
  }

  readonly #toErased = ({ sealedId, scopes, ...row }: ErasedRow): ErasedPlace => ({
    ...row,
    scopes: JSON.parse(scopes) as Location[],
    documentId: Buffer.from(coverErasedId(this.#readSecret(), sealedId)).toString(),
  });

  /** Places that erased documents left with the commit of that moment; by number, behind this one. */
  erasedAt(moment: number, after: number, limit: number): ErasedPlace[] {
    return this.#erasedAt.all(moment, after, limit).map(this.#toErased);
  }

  /** Places where erased documents were after the commit of that moment; by number, behind this one. */
  erasedDuring(moment: number, after: number, limit: number): ErasedPlace[] {
    return this.#erasedDuring.all(moment, moment, after, limit).map(this.#toErased);
  }

  /** Places that erased documents left after the commit of that moment, in no order. */
  erasedAfter(moment: number): ErasedPlace[] {
    return this.#erasedAfter.all(moment).map(this.#toErased);
  }

  /** Where an erased document was from that moment on; undefined for nowhere. */
  erasedFrom(erasure: number, moment: number): ErasedPlace | undefined {
    const row = this.#erasedFrom.get(moment, erasure);
    return row === undefined ? undefined : this.#toErased(row);
  }

  /** The rename or move of a folder by the commit of that moment; undefined when it did something else. */
  folderMoveAt(moment: number): MovedFolder | undefined {
    const row = this.#folderMove.get(moment);
    if (row === undefined) return undefined;
    return { operation: row.operation, from: row.from, to: row.to, at: row.at, author: authorOf(row) };
  }
}

const shared = (row: EventRow) => ({ document: row.document, author: authorOf(row), at: row.at });
