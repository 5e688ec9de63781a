import { noReach, reachFrom, readReach, type Reach } from '../view/reach.js';
import type { Grant, Subject } from '../domain/grant.js';
import { operatorId } from '../domain/principal.js';
import type { AccessChange } from '../sidecar/tables/activity-table.js';
import type { Tables } from '../sidecar/tables.js';

/** A principal's reach at a past position. */
export interface PastReach {
  readonly reach: Reach;
  /** The principal, and the groups that it was in: what is granted to others does not concern it. */
  readonly concerns: (subject: Subject) => boolean;
  /** The same, listed. While none of them gets or loses anything, the reach stays as it is. */
  readonly subjects: readonly Subject[];
  /** How many grants it was made of. */
  readonly size: number;
}

/** A grant's part that makes a reach. */
type Held = Pick<Grant, 'scope' | 'role'>;

/** What one subject had of its own, after the activity with that number. */
interface Own {
  activity: number;
  isDisabled: boolean;
  readonly held: Map<string, Held>;
  readonly joined: Set<string>;
  /** How many changes were undone for it. */
  readonly undone: number;
}

/** Grants and changes undone in one step, and those of one subject more. */
const sizeInStep = 500;

const subjectKey = ({ type, id }: Subject): string => `${type} ${id}`;

const keyOf = ({ scope, role }: Held): string =>
  JSON.stringify([scope.type, scope.type === 'folder' ? scope.location : scope.documentId, role]);

/**
 * A principal's reaches at past positions: the present one, with every later change of a grant or membership undone.
 * From one position to a later one only the changes between them are read, so a way through many costs no more than
 * they are. It may be kept from one view to the next.
 */
export class PastReaches {
  readonly #principal: Subject;
  readonly #own = new Map<string, Own>();

  constructor(principalId: string) {
    this.#principal = { type: 'principal', id: principalId };
  }

  /**
   * Undoes what `at` will need, as much as one step may hold. It counts on nothing but that it is called again.
   * @returns whether that is everything
   */
  prepare(tables: Tables, activity: number): boolean {
    if (this.#principal.id === operatorId) return true;
    const seen = new Set<string>();
    const waiting: Subject[] = [this.#principal];
    let size = 0;
    for (let subject = waiting.pop(); subject !== undefined; subject = waiting.pop()) {
      const isUndone = (this.#own.get(subjectKey(subject))?.activity ?? Infinity) <= activity;
      if (!isUndone && size >= sizeInStep) return false;
      const { isDisabled, held, joined, undone } = this.#ownAt(tables, subject, activity);
      if (isDisabled) return true;
      if (!isUndone) size += undone + held.size + 1;
      for (const id of joined) {
        if (!seen.has(id)) waiting.push({ type: 'group', id });
        seen.add(id);
      }
    }
    return true;
  }

  /** The reach after the activity with that number. A disabled principal has none. */
  at(tables: Tables, activity: number): PastReach {
    const principal = this.#principal;
    if (principal.id === operatorId) {
      return { reach: readReach(tables, operatorId), concerns: () => false, subjects: [], size: 1 };
    }
    const groups = new Set<string>();
    const waiting: Subject[] = [principal];
    const grants: Held[] = [];
    for (let subject = waiting.pop(); subject !== undefined; subject = waiting.pop()) {
      const { isDisabled, held, joined } = this.#ownAt(tables, subject, activity);
      if (isDisabled) {
        const concerns = ({ type, id }: Subject): boolean => type === 'principal' && id === principal.id;
        return { reach: noReach, concerns, subjects: [principal], size: 0 };
      }
      grants.push(...held.values());
      for (const group of joined) {
        if (groups.has(group)) continue;
        groups.add(group);
        waiting.push({ type: 'group', id: group });
      }
    }
    return {
      reach: reachFrom(grants),
      concerns: ({ type, id }) => (type === 'group' ? groups.has(id) : id === principal.id),
      subjects: [principal, ...[...groups].map((id): Subject => ({ type: 'group', id }))],
      size: grants.length,
    };
  }

  #ownAt(tables: Tables, subject: Subject, activity: number): Own {
    const key = subjectKey(subject);
    let own = this.#own.get(key);
    if (own === undefined || own.activity > activity) this.#own.set(key, (own = undo(tables, subject, activity)));
    if (own.activity < activity) {
      for (const change of tables.activities.ofSubjectBetween(subject, own.activity, activity)) apply(own, change);
      own.activity = activity;
    }
    return own;
  }
}

/** The present, without what came after the activity: of each grant and group, the first change says what was before. */
function undo(tables: Tables, subject: Subject, activity: number): Own {
  const { activities, grants, groups, principals } = tables;
  const isPrincipal = subject.type === 'principal';
  const present = isPrincipal ? grants.forSubjects(subject.id, []) : grants.forSubjects('', [subject.id]);
  const later = activities.firstOfSubjectAfter(subject, activity);
  const own: Own = {
    activity,
    undone: later.length,
    isDisabled: isPrincipal && principals.find(subject.id)?.disabledAt !== null,
    held: new Map(present.map((grant) => [keyOf(grant), grant])),
    joined: new Set(groups.groupsOf(subject)),
  };
  for (const change of later) {
    apply(own, 'isDisabled' in change ? { isDisabled: !change.isDisabled } : { ...change, isAdded: !change.isAdded });
  }
  return own;
}

function apply(own: Own, change: AccessChange): void {
  if ('isDisabled' in change) own.isDisabled = change.isDisabled;
  else if ('grant' in change) {
    if (change.isAdded) own.held.set(keyOf(change.grant), change.grant);
    else own.held.delete(keyOf(change.grant));
  } else if (change.isAdded) own.joined.add(change.groupId);
  else own.joined.delete(change.groupId);
}
