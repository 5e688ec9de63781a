import type { Grant } from '../domain/grant.js';
import { ancestorsOf, type Location } from '../domain/location.js';
import { operatorId, type Principal } from '../domain/principal.js';
import { higherRole, type Role } from '../domain/role.js';
import type { Tables } from '../sidecar/tables.js';

/** One way of reading a place: a grant, and the groups from its subject down to the reader's own. */
export interface ReaderPath {
  readonly grant: Grant;
  /** Where the grant is in force: its folder, or the document's location. */
  readonly location: Location;
  readonly groups: readonly string[];
}

export interface FoundReader {
  readonly principal: Principal;
  readonly role: Role;
  readonly paths: readonly ReaderPath[];
}

/**
 * All principals that can read a place now, from the grants on it and on the folders above, through groups at any
 * depth. For an empty place it returns the future readers of a document there. The disabled read nothing, and the
 * operator stands outside the grants.
 * @param documentId the document that lives there; undefined where there is none
 */
export function findReaders(tables: Tables, place: Location, documentId: string | undefined): FoundReader[] {
  const paths = new Map<string, ReaderPath[]>();
  const placed = [...ancestorsOf(place), place].flatMap((location) =>
    tables.grants.on({ type: 'folder', location }).map((grant) => ({ grant, location })),
  );
  for (const grant of tables.grants.on({ type: 'document', documentId: documentId ?? '' })) {
    placed.push({ grant, location: place });
  }
  for (const { grant, location } of placed) {
    for (const [principal, groups] of followSubject(tables, grant)) {
      const known = paths.get(principal);
      const path = { grant, location, groups };
      if (known === undefined) paths.set(principal, [path]);
      else known.push(path);
    }
  }
  return [...paths].flatMap(([id, ways]) => {
    const principal = tables.principals.find(id);
    const role = ways.reduce<Role | undefined>((highest, { grant }) => higherRole(highest, grant.role), undefined);
    if (principal === undefined || principal.disabledAt !== null || id === operatorId || role === undefined) return [];
    return [{ principal, role, paths: ways }];
  });
}

/** The principals that the grant reaches, each with the shortest way through groups. */
function followSubject(tables: Tables, { subject }: Grant): Map<string, readonly string[]> {
  if (subject.type === 'principal') return new Map([[subject.id, []]]);
  return followGroup(tables, subject.id);
}

/** The principals in a group at any depth, each with the shortest way down to it, the group itself first. */
export function followGroup(tables: Tables, groupId: string): Map<string, readonly string[]> {
  const reached = new Map<string, readonly string[]>();
  const seen = new Set<string>([groupId]);
  let level: (readonly string[])[] = [[groupId]];
  while (level.length > 0) {
    const below: (readonly string[])[] = [];
    for (const way of level) {
      for (const member of tables.groups.membersOf(way.at(-1) ?? groupId)) {
        if (member.type === 'principal') {
          if (!reached.has(member.id)) reached.set(member.id, way);
        } else if (!seen.has(member.id)) {
          seen.add(member.id);
          below.push([...way, member.id]);
        }
      }
    }
    level = below;
  }
  return reached;
}
