import { followMemberships } from '../../access/follow-memberships.js';
import { reachFrom } from '../../view/reach.js';
import type { Grant, Subject } from '../../domain/grant.js';
import { ancestorsOf, compareText, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import type { Group } from '../../domain/principal.js';
import { higherRole, roleContains, type Role } from '../../domain/role.js';
import { Rests } from '../../scheduling/rests.js';
import type { Tables } from '../../sidecar/tables.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';
import { requireSubject } from '../principals/change-group.js';
import { viewAsAdmin } from '../view-as-admin.js';
import { nameGrant, type NamedGrant } from './change-grant.js';
import { locateScope } from './locate-scope.js';

export interface ListReachInput {
  readonly subject: Subject;
  /** Leaves out grants of the groups that it is in. */
  readonly own: boolean;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** A grant that gives a role at a place, and the groups by which it does. */
export interface ReachingGrant extends Pick<NamedGrant, 'id' | 'subject' | 'role' | 'grantedBy' | 'createdAt'> {
  /** From the granted group down to the subject's own group. Empty for a grant to the subject itself. */
  readonly groups: readonly Pick<Group, 'id' | 'displayName'>[];
}

/** A place with grants that reach a subject. */
export interface ReachedPlace {
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  /** The role there, by all grants on it and on the folders above. */
  readonly role: Role;
  /** The nearest folder above from which the same role, or a higher one, comes already. */
  readonly coveredBy: Location | null;
  /** The grants on the place itself. */
  readonly grants: readonly ReachingGrant[];
}

interface HeldPlace extends Pick<ReachedPlace, 'scopeType' | 'location'> {
  /** The highest role of the grants. */
  role: Role;
  readonly grants: Grant[];
}

const positionOf = ({ location, scopeType }: Pick<ReachedPlace, 'location' | 'scopeType'>): string =>
  `${location}\0${scopeType}`;

/**
 * The places that a principal or group reaches, with the role there and its reasons. Grants on deleted documents are
 * left out. What a disabled principal would reach is listed too: it reaches nothing meanwhile. Admin.
 * @throws Refusal NOT_FOUND when there is no such principal or group
 */
export const listReach: ReadOperation<ListReachInput, Page<ReachedPlace>> = {
  kind: 'read',
  name: 'reach.list',
  isHeavy: true,
  needs: () => adminNeeds,
  note: ({ subject, own }) => ({ target: subject.id, detail: { subject, own } }),
  async run(context, { subject, own, after, limit }) {
    let { tables } = context.view;
    requireSubject(tables, subject);
    const ways = own ? new Map<string, readonly string[]>() : followMemberships(tables, subject);
    const grants = grantsOf(tables, subject, [...ways.keys()]);
    const reach = reachFrom(grants);
    const byPlace = new Map<string, HeldPlace>();
    const rests = new Rests();
    for (const grant of grants) {
      if (rests.isDue) {
        await rests.take();
        ({ tables } = viewAsAdmin(context));
      }
      const location = locateScope(tables, grant.scope);
      if (location === undefined) continue;
      const place = { scopeType: grant.scope.type, location };
      const position = positionOf(place);
      if (compareText(position, after) <= 0) continue;
      const known = byPlace.get(position);
      if (known === undefined) {
        byPlace.set(position, { ...place, role: grant.role, grants: [grant] });
      } else {
        known.role = higherRole(known.role, grant.role) ?? known.role;
        known.grants.push(grant);
      }
    }
    const { items, next } = makePage(
      [...byPlace.values()].toSorted((a, b) => compareText(positionOf(a), positionOf(b))),
      limit,
      positionOf,
    );
    const places = items.map((place): ReachedPlace => {
      const { scopeType, location, role } = place;
      const held = higherRole(role, reach.roleIn(location)) ?? role;
      return {
        scopeType,
        location,
        role: held,
        coveredBy: ancestorsOf(location).findLast((folder) => roleContains(reach.roleIn(folder), held)) ?? null,
        grants: place.grants.map((grant) => describe(tables, grant, place, subject, ways)),
      };
    });
    return { items: places, next };
  },
};

function grantsOf({ grants }: Tables, { type, id }: Subject, groups: readonly string[]): Grant[] {
  return type === 'group' ? grants.forSubjects('', [id, ...groups]) : grants.forSubjects(id, groups);
}

function describe(
  tables: Tables,
  grant: Grant,
  place: Pick<ReachedPlace, 'scopeType' | 'location'>,
  subject: Subject,
  ways: ReadonlyMap<string, readonly string[]>,
): ReachingGrant {
  const { id, subject: holder, role, grantedBy, createdAt } = nameGrant(tables, grant, place);
  const way = grant.subject.id === subject.id ? [] : (ways.get(grant.subject.id) ?? []);
  const groups = way.map((group) => nameGroup(tables, group));
  return { id, subject: holder, role, groups, grantedBy, createdAt };
}

function nameGroup({ groups }: Tables, id: string): Pick<Group, 'id' | 'displayName'> {
  return { id, displayName: groups.find(id)?.displayName ?? id };
}
