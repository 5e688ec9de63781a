import type { Grant, Scope, Subject } from '../../domain/grant.js';
import type { Location } from '../../domain/location.js';
import type { Author, PrincipalKind } from '../../domain/principal.js';
import type { Role } from '../../domain/role.js';
import { coverErasedId } from '../erased-id.js';
import { Table } from '../statement.js';

/** What happens to a document besides commits. */
export type ActivityKind = 'label_set' | 'comment_added' | 'comment_settled' | 'claimed' | 'claim_ended';

/** An activity about a document. */
export interface NewActivity {
  readonly kind: ActivityKind;
  /** Number of the document. */
  readonly document: number;
  /** Id of the principal who did it; null when nobody did, as when a claim runs out. */
  readonly actor: string | null;
}

interface Happened {
  readonly number: number;
  /** Moment of the last event of a commit before it. */
  readonly moment: number;
  /** Whether it is part of that event. */
  readonly isWithin: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A grant or membership that was added or removed, or a principal that was disabled or enabled. */
export interface AccessActivity extends Happened {
  readonly kind: 'granted' | 'revoked' | 'joined' | 'parted' | 'disabled' | 'enabled';
  readonly subject: Subject;
}

export interface DocumentActivity extends Happened {
  readonly kind: ActivityKind;
  /** Number of the document. */
  readonly document: number;
  readonly actor: Author | null;
}

export type Activity = AccessActivity | DocumentActivity;

/** A change of a subject's own grants or groups, or of a principal's state. */
export type AccessChange =
  | { readonly isAdded: boolean; readonly grant: Pick<Grant, 'scope' | 'role'> }
  | { readonly isAdded: boolean; readonly groupId: string }
  | { readonly isDisabled: boolean };

interface Row {
  number: number;
  moment: number;
  is_within: number;
  at: number | null;
  kind: Activity['kind'];
  document: number | null;
  actor: string | null;
  actor_kind: PrincipalKind | null;
  actor_name: string | null;
  subject_type: Subject['type'] | null;
  subject_id: string | null;
}

interface AccessRow {
  kind: AccessActivity['kind'];
  group_id: string | null;
  scope_type: Scope['type'] | null;
  scope_key: string | null;
  role: Role | null;
}

const columns = `SELECT a.number, a.moment, a.is_within, a.at, a.kind, a.document, a.actor, a.subject_type, a.subject_id,
    p.kind AS actor_kind, p.display_name AS actor_name
  FROM activity a LEFT JOIN principal p ON p.id = a.actor`;

export const activityStatements = {
  after: `${columns} WHERE a.number > ? ORDER BY a.number LIMIT ?`,
  before: `${columns} WHERE a.number < ? ORDER BY a.number DESC LIMIT ?`,
  /** With min(), SQLite takes the other columns from the row that has it. */
  firstOfSubject: `SELECT kind, group_id, scope_type, scope_key, role, min(number) FROM activity
    WHERE subject_type = ? AND subject_id = ? AND number > ?
    GROUP BY kind IN ('disabled', 'enabled'), group_id, scope_type, scope_key, role`,
  ofSubject: `SELECT kind, group_id, scope_type, scope_key, role FROM activity
    WHERE subject_type = ? AND subject_id = ? AND number > ? AND number <= ? ORDER BY number`,
  nextOfSubject: `SELECT number, moment FROM activity
    WHERE subject_type = ? AND subject_id = ? AND number > ? ORDER BY number LIMIT 1`,
} as const;

/** In front of the covered id of an erased document; no id begins so. */
const covered = '~';

/** What happens besides commits, in order. Triggers write what changes grants and memberships. */
export class ActivityTable extends Table {
  readonly #insert = this.statement<[string, number, string | null]>(
    'INSERT INTO activity (moment, kind, document, actor) SELECT moment, ?, ?, ? FROM last_moment',
  );
  readonly #date = this.statement<[number]>('UPDATE activity SET at = ? WHERE at IS NULL');
  readonly #last = this.valueStatement<[], number | null>('SELECT max(number) FROM activity');
  readonly #highest = this.valueStatement<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'activity'");
  readonly #isAccessTouched = this.valueStatement<[number], number>(
    'SELECT EXISTS (SELECT 1 FROM activity WHERE number > ? AND subject_id IS NOT NULL)',
  );
  readonly #after = this.statement<[number, number], Row>(activityStatements.after);
  readonly #before = this.statement<[number, number], Row>(activityStatements.before);
  readonly #lastOfDocument = this.arrayStatement<[number, number, number], [ActivityKind, isSince: number]>(
    `SELECT a.kind, a.moment >= v.moment FROM activity a JOIN version v ON v.document = a.document
     WHERE a.document = ? AND v.sequence = ? ORDER BY a.number DESC LIMIT ?`,
  );
  readonly #lastPart = this.valueStatement<[number, number], number | null>(
    'SELECT max(number) FROM activity WHERE moment = ? AND is_within = 1 AND number > ?',
  );
  readonly #everGranted = this.valueStatement<[{ places: string }], Location>(
    `SELECT value FROM json_each(@places) j
     WHERE EXISTS (SELECT 1 FROM access_grant WHERE scope_type = 'folder' AND scope_key = j.value)
       OR EXISTS (SELECT 1 FROM activity WHERE scope_type = 'folder' AND scope_key = j.value)`,
  );
  readonly #secret = this.valueStatement<[], string>("SELECT value FROM meta WHERE name = 'feed_secret'");
  readonly #cover = this.statement<[string, string]>(
    "UPDATE activity SET scope_key = ? WHERE scope_type = 'document' AND scope_key = ?",
  );
  readonly #firstOfSubject = this.statement<[string, string, number], AccessRow>(activityStatements.firstOfSubject);
  readonly #ofSubject = this.statement<[string, string, number, number], AccessRow>(activityStatements.ofSubject);
  readonly #nextOfSubject = this.statement<[string, string, number], { number: number; moment: number }>(
    activityStatements.nextOfSubject,
  );

  add({ kind, document, actor }: NewActivity): void {
    this.#insert.run(kind, document, actor);
  }

  /** Dates what this transaction wrote. @param at milliseconds since 1970 */
  date(at: number): void {
    this.#date.run(at);
  }

  /** Number of the last one; 0 when there is none. */
  last(): number {
    return this.#last.get() ?? 0;
  }

  /** The last activities about a document, the last first, at most so many; only those after a version was made. */
  kindsSince(document: number, sequence: number, limit: number): ActivityKind[] {
    const last = this.#lastOfDocument.all(document, sequence, limit);
    return last.flatMap(([kind, isSince]) => (isSince === 1 ? [kind] : []));
  }

  /** The highest number ever given, also where an erase took rows away. */
  highest(): number {
    return this.#highest.get() ?? 0;
  }

  /** Whether a grant or membership was added or removed after the activity with that number. */
  isAccessTouchedAfter(number: number): boolean {
    return this.#isAccessTouched.get(number) === 1;
  }

  /** Those after the number, in order, at most so many. */
  after(number: number, limit: number): Activity[] {
    return this.#after.all(number, limit).map(toActivity);
  }

  /** Those before the number, the last one first, at most so many. */
  before(number: number, limit: number): Activity[] {
    return this.#before.all(number, limit).map(toActivity);
  }

  /** The last one that is part of the event of that commit, after the number; the number itself without one. */
  lastPartOf(moment: number, after: number): number {
    return this.#lastPart.get(moment, after) ?? after;
  }

  /** Those of these places on which anybody has or had a grant. */
  everGranted(places: readonly Location[]): Location[] {
    return this.#everGranted.all({ places: JSON.stringify(places) });
  }

  /** The first change of a subject's own grants or groups, or of its state, after the number. */
  nextOfSubject({ type, id }: Subject, after: number): Pick<Happened, 'number' | 'moment'> | undefined {
    return this.#nextOfSubject.get(type, id, after);
  }

  /** Covers the id of an erased document in what is known of its grants. */
  coverDocument(documentId: string): void {
    this.#cover.run(covered + Buffer.from(this.#coverId(Buffer.from(documentId))).toString('hex'), documentId);
  }

  #coverId(id: Uint8Array): Uint8Array {
    return coverErasedId(this.#secret.get() ?? '', id);
  }

  #documentOf(key: string): string {
    if (!key.startsWith(covered)) return key;
    return Buffer.from(this.#coverId(Buffer.from(key.slice(covered.length), 'hex'))).toString();
  }

  /** The first change of each of a subject's own grants and groups, and of its state, after the number. */
  firstOfSubjectAfter({ type, id }: Subject, number: number): AccessChange[] {
    return this.#firstOfSubject.all(type, id, number).map((row) => this.#toChange(row));
  }

  /** A subject's changes after one number, up to another, in order. */
  ofSubjectBetween({ type, id }: Subject, after: number, until: number): AccessChange[] {
    return this.#ofSubject.all(type, id, after, until).map((row) => this.#toChange(row));
  }

  #toChange({ kind, group_id, scope_type, scope_key, role }: AccessRow): AccessChange {
    if (kind === 'disabled' || kind === 'enabled') return { isDisabled: kind === 'disabled' };
    const isAdded = kind === 'granted' || kind === 'joined';
    if (group_id !== null) return { isAdded, groupId: group_id };
    const key = scope_key ?? '';
    const scope: Scope =
      scope_type === 'folder'
        ? { type: 'folder', location: key as Location }
        : { type: 'document', documentId: this.#documentOf(key) };
    return { isAdded, grant: { scope, role: role ?? 'reader' } };
  }
}

function toActivity(row: Row): Activity {
  const { number, moment, kind, document, subject_type: type, subject_id: id } = row;
  const happened = { number, moment, isWithin: row.is_within !== 0, at: row.at ?? 0 };
  if (type !== null && id !== null) {
    return { ...happened, kind: kind as AccessActivity['kind'], subject: { type, id } };
  }
  const actor =
    row.actor === null || row.actor_kind === null
      ? null
      : { id: row.actor, kind: row.actor_kind, displayName: row.actor_name ?? row.actor };
  return { ...happened, kind: kind as ActivityKind, document: document ?? 0, actor };
}
