import type { Grant, Subject } from '../domain/grant.js';
import { isWithin, type Location } from '../domain/location.js';
import { roleContains, type Role } from '../domain/role.js';
import type { Tables } from '../sidecar/tables.js';

/** A grant and where it is in force: on its own path now, or on another one after a move. */
export interface PlacedGrant {
  readonly grant: Grant;
  readonly location: Location;
}

/** A subject whose role at some place differs between two states. */
export interface RoleDifference {
  readonly subject: Subject;
  readonly before: Role | undefined;
  readonly after: Role | undefined;
  /** The grant of the higher role. */
  readonly by: PlacedGrant;
}

const keyOf = (subject: Subject): string => `${subject.type}:${subject.id}`;

/** The holdings of all subjects at one place: by subject as granted, the highest grant at or above it. */
class Holdings {
  readonly #best = new Map<string, PlacedGrant>();
  readonly #groupsAbove: (subject: Subject) => readonly Subject[];

  constructor(grants: readonly PlacedGrant[], place: Location, groupsAbove: (subject: Subject) => readonly Subject[]) {
    this.#groupsAbove = groupsAbove;
    for (const placed of grants) {
      if (!isWithin(placed.location, place)) continue;
      const key = keyOf(placed.grant.subject);
      const best = this.#best.get(key);
      if (best === undefined || !roleContains(best.grant.role, placed.grant.role)) this.#best.set(key, placed);
    }
  }

  /** The subject's highest grant, of its own and of every group that contains it. */
  of(subject: Subject): PlacedGrant | undefined {
    let best = this.#best.get(keyOf(subject));
    for (const group of this.#groupsAbove(subject)) {
      const held = this.#best.get(keyOf(group));
      if (held !== undefined && (best === undefined || !roleContains(best.grant.role, held.grant.role))) best = held;
    }
    return best;
  }

  subjects(): Subject[] {
    return [...this.#best.values()].map((placed) => placed.grant.subject);
  }
}

/**
 * Compares the roles of subjects at a place before and at its counterpart after. Exact for principals and, for groups,
 * as exact as their present members. A group gains when it has no members yet, or when one of them gains.
 */
export class AccessComparison {
  readonly #tables: Tables;
  readonly #above = new Map<string, readonly Subject[]>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  gains(
    before: readonly PlacedGrant[],
    at: Location,
    after: readonly PlacedGrant[],
    goingTo: Location,
  ): RoleDifference[] {
    return this.#differences(this.#holdings(before, at), this.#holdings(after, goingTo)).map(
      ({ subject, less, more }) => ({ subject, before: less, after: more.grant.role, by: more }),
    );
  }

  losses(
    before: readonly PlacedGrant[],
    at: Location,
    after: readonly PlacedGrant[],
    goingTo: Location,
  ): RoleDifference[] {
    return this.#differences(this.#holdings(after, goingTo), this.#holdings(before, at)).map(
      ({ subject, less, more }) => ({ subject, before: more.grant.role, after: less, by: more }),
    );
  }

  #holdings(grants: readonly PlacedGrant[], place: Location): Holdings {
    return new Holdings(grants, place, (subject) => this.#groupsAbove(subject));
  }

  /** Subjects with more in `rich` than in `poor`. */
  #differences(poor: Holdings, rich: Holdings) {
    const found: { subject: Subject; less: Role | undefined; more: PlacedGrant }[] = [];
    for (const subject of rich.subjects()) {
      const more = rich.of(subject);
      const less = poor.of(subject)?.grant.role;
      if (more === undefined || roleContains(less, more.grant.role)) continue;
      if (subject.type === 'group' && !this.#someMemberDiffers(subject.id, poor, more.grant.role)) continue;
      found.push({ subject, less, more });
    }
    return found;
  }

  #someMemberDiffers(groupId: string, poor: Holdings, role: Role): boolean {
    const seen = new Set<string>([groupId]);
    const pending = [...this.#tables.groups.membersOf(groupId)];
    if (pending.length === 0) return true;
    for (let member = pending.pop(); member !== undefined; member = pending.pop()) {
      if (member.type === 'principal') {
        if (!roleContains(poor.of(member)?.grant.role, role)) return true;
      } else if (!seen.has(member.id)) {
        seen.add(member.id);
        const inner = this.#tables.groups.membersOf(member.id);
        if (inner.length === 0 && !roleContains(poor.of(member)?.grant.role, role)) return true;
        pending.push(...inner);
      }
    }
    return false;
  }

  #groupsAbove(subject: Subject): readonly Subject[] {
    const key = keyOf(subject);
    let above = this.#above.get(key);
    if (above === undefined) {
      above = this.#tables.groups.groupsAbove(subject).map((id) => ({ type: 'group', id }) as const);
      this.#above.set(key, above);
    }
    return above;
  }
}
