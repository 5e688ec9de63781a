import { followGroup } from '../../view/find-readers.js';
import { followMemberships, type MembershipChange } from '../../access/follow-memberships.js';
import { reachFrom, type Reach } from '../../view/reach.js';
import type { Grant } from '../../domain/grant.js';
import { ancestorsOf, compareText, type Location } from '../../domain/location.js';
import type { Principal } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import { Rests } from '../../scheduling/rests.js';
import type { Tables } from '../../sidecar/tables.js';
import { locateScope } from '../grants/locate-scope.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { adminNeeds } from '../needs.js';
import { viewAsAdmin } from '../view-as-admin.js';
import { requireNoCircle, requireSubject } from './change-group.js';

/** A change of a principal's role at a place, by a change of a membership. */
export interface RoleChange {
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  /** Null for no role. */
  readonly before: Role | null;
  readonly after: Role | null;
  /** Some of those concerned. */
  readonly principals: readonly Pick<Principal, 'id' | 'kind' | 'displayName'>[];
  /** Whether there are others. */
  readonly more: boolean;
}

type PlainChange = Omit<RoleChange, 'principals' | 'more'>;

export interface MembershipImpact {
  /** By place. A place below another one with the same change is left out. */
  readonly changes: readonly RoleChange[];
  /** Whether only a part was looked at, or is shown. */
  readonly isCut: boolean;
}

/** Maximum of principals looked at, of places shown, and of principals shown at each. */
const maxPrincipals = 500;
const maxPlaces = 100;
const shownPrincipals = 5;

/**
 * Who would gain or lose what if a membership began or ended now. The disabled reach nothing in either case. Admin.
 * @throws Refusal as the change itself: NOT_FOUND; CONFLICT `group_cycle`
 */
export const previewMembership: ReadOperation<MembershipChange, MembershipImpact> = {
  kind: 'read',
  name: 'group.preview',
  isHeavy: true,
  needs: () => adminNeeds,
  note: ({ groupId, member, begins }) => ({ target: groupId, detail: { member, begins } }),
  async run(context, change) {
    const { tables } = context.view;
    requireSubject(tables, { type: 'group', id: change.groupId });
    requireSubject(tables, change.member);
    if (change.begins) requireNoCircle(tables, change);
    else if (!tables.groups.groupsOf(change.member).includes(change.groupId)) throw notFound();
    const concerned =
      change.member.type === 'principal' ? [change.member.id] : [...followGroup(tables, change.member.id).keys()];
    const found = new Map<string, { readonly change: PlainChange; readonly principals: Principal[] }>();
    const rests = new Rests();
    for (const id of concerned.slice(0, maxPrincipals)) {
      for await (const [principal, one] of compareReach(context, id, change, rests)) {
        const key = JSON.stringify([one.location, one.scopeType, one.before, one.after]);
        const known = found.get(key);
        if (known === undefined) found.set(key, { change: one, principals: [principal] });
        else known.principals.push(principal);
      }
      if (rests.isDue) await rests.take();
    }
    const changes = [...found.values()]
      .toSorted((a, b) => compareText(a.change.location, b.change.location))
      .slice(0, maxPlaces)
      .map(({ change: one, principals }) => ({
        ...one,
        principals: principals
          .toSorted((a, b) => compareText(a.displayName, b.displayName) || compareText(a.id, b.id))
          .slice(0, shownPrincipals)
          .map(({ id, kind, displayName }) => ({ id, kind, displayName })),
        more: principals.length > shownPrincipals,
      }));
    return { changes, isCut: concerned.length > maxPrincipals || found.size > maxPlaces };
  },
};

/** A principal's changes of role. Nothing for a disabled one. */
async function* compareReach(
  context: Pick<ReadContext, 'workspace' | 'caller'>,
  id: string,
  change: MembershipChange,
  rests: Rests,
): AsyncGenerator<readonly [Principal, PlainChange]> {
  let { tables } = viewAsAdmin(context);
  const principal = tables.principals.find(id);
  if (principal === undefined || principal.disabledAt !== null) return;
  const before = grantsOf(tables, id);
  const after = grantsOf(tables, id, change);
  const [reachBefore, reachAfter] = [reachFrom(before), reachFrom(after)];
  const scopes = new Map([...before, ...after].map(({ scope }) => [JSON.stringify(scope), scope]));
  const changes: PlainChange[] = [];
  for (const scope of scopes.values()) {
    if (rests.isDue) {
      await rests.take();
      ({ tables } = viewAsAdmin(context));
    }
    const location = locateScope(tables, scope);
    if (location === undefined) continue;
    const roleIn = (reach: Reach): Role | null =>
      (scope.type === 'folder' ? reach.roleIn(location) : reach.roleOn(scope.documentId, location)) ?? null;
    const one = { scopeType: scope.type, location, before: roleIn(reachBefore), after: roleIn(reachAfter) };
    if (one.before !== one.after) changes.push(one);
  }
  for (const one of dropRepeated(changes)) yield [principal, one];
}

/** Leaves out a place where a folder above it has the same change. */
function dropRepeated(changes: readonly PlainChange[]): PlainChange[] {
  const ofFolders = new Map<Location, PlainChange>();
  for (const change of changes) if (change.scopeType === 'folder') ofFolders.set(change.location, change);
  return changes.filter(({ location, before, after }) => {
    const nearest = ancestorsOf(location)
      .map((place) => ofFolders.get(place))
      .findLast((above) => above !== undefined);
    return nearest === undefined || nearest.before !== before || nearest.after !== after;
  });
}

function grantsOf(tables: Tables, id: string, change?: MembershipChange): Grant[] {
  return tables.grants.forSubjects(id, [...followMemberships(tables, { type: 'principal', id }, change).keys()]);
}
