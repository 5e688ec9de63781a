import type { Grant } from '../domain/grant.js';
import { ancestorsOf, isWithin, rootLocation, type Location } from '../domain/location.js';
import { operatorId } from '../domain/principal.js';
import { higherRole, roleContains, type Role } from '../domain/role.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * The roles of one principal, from its live grants: direct ones and those of all its groups. Grants only add, so the
 * role at a place is the highest of any grant at or above it (specification, Grant rules).
 */
export class Reach {
  readonly #folders: ReadonlyMap<Location, Role>;
  readonly #documents: ReadonlyMap<string, Role>;

  constructor(folders: ReadonlyMap<Location, Role>, documents: ReadonlyMap<string, Role>) {
    this.#folders = folders;
    this.#documents = documents;
  }

  /** The role from folder grants at the location: on it, if it is a folder, and on every folder above. */
  roleIn(location: Location): Role | undefined {
    let role = this.#folders.get(location);
    if (this.#folders.size === 0) return role;
    for (const ancestor of ancestorsOf(location)) role = higherRole(role, this.#folders.get(ancestor));
    return role;
  }

  /** The role from the folders above a location. */
  roleAbove(location: Location): Role | undefined {
    let role: Role | undefined;
    for (const ancestor of ancestorsOf(location)) role = higherRole(role, this.#folders.get(ancestor));
    return role;
  }

  /** The role on a document: by folders above it, and by grants on the document itself. */
  roleOn(documentId: string, location: Location): Role | undefined {
    return higherRole(this.roleIn(location), this.#documents.get(documentId));
  }

  holds(role: Role, location: Location): boolean {
    return roleContains(this.roleIn(location), role);
  }

  /** Whether the role is held at any place at all. */
  holdsSomewhere(role: Role): boolean {
    return this.holdsInFolder(role) || [...this.#documents.values()].some((held) => roleContains(held, role));
  }

  /** Whether the role is held in any folder. */
  holdsInFolder(role: Role): boolean {
    return [...this.#folders.values()].some((held) => roleContains(held, role));
  }

  /** Folders with a grant strictly below `folder`. */
  foldersBelow(folder: Location): Location[] {
    return [...this.#folders.keys()].filter((location) => location !== folder && isWithin(folder, location));
  }

  /** Folders with a grant. */
  get folders(): Location[] {
    return [...this.#folders.keys()];
  }

  /** Ids of documents with a grant of their own. */
  get documentIds(): string[] {
    return [...this.#documents.keys()];
  }

  /** Whether any document carries a grant of its own. */
  get hasDocuments(): boolean {
    return this.#documents.size > 0;
  }

  get isEmpty(): boolean {
    return this.#folders.size === 0 && this.#documents.size === 0;
  }
}

/** Reaches nothing: an unknown or disabled principal. */
export const noReach = new Reach(new Map(), new Map());

/** Reaches everything: the operator, outside the grants. */
const operatorReach = new Reach(new Map([[rootLocation, 'approver']]), new Map());

/** Adds up grants; the highest role on each scope stays. */
export function reachFrom(grants: Iterable<Pick<Grant, 'scope' | 'role'>>): Reach {
  const folders = new Map<Location, Role>();
  const documents = new Map<string, Role>();
  for (const { scope, role } of grants) {
    if (scope.type === 'folder') {
      folders.set(scope.location, higherRole(folders.get(scope.location), role) ?? role);
    } else {
      documents.set(scope.documentId, higherRole(documents.get(scope.documentId), role) ?? role);
    }
  }
  return new Reach(folders, documents);
}

/** Reads the principal's reach as the tables' connection sees it now. A disabled or unknown principal has none. */
export function readReach(tables: Tables, principalId: string): Reach {
  if (principalId === operatorId) return operatorReach;
  const principal = tables.principals.find(principalId);
  if (principal === undefined || principal.disabledAt !== null) return noReach;
  const groups = tables.groups.groupsAbove({ type: 'principal', id: principalId });
  return reachFrom(tables.grants.forSubjects(principalId, groups));
}

/** The common reach of a group's members through it: its own grants, and those of the groups above it. */
export function readGroupReach(tables: Tables, groupId: string): Reach {
  const above = tables.groups.groupsAbove({ type: 'group', id: groupId });
  return reachFrom(tables.grants.forSubjects('', [groupId, ...above]));
}

const maxRemembered = 10_000;

/**
 * Remembers reaches until the policy stamp shows a change in their sources. The stamp is compared at every use, so a
 * revocation is in force at the next request.
 */
export class ReachMemory {
  #stamp = -1;
  readonly #reaches = new Map<string, Reach>();

  reachOf(tables: Tables, principalId: string, stamp: number): Reach {
    if (stamp !== this.#stamp) {
      this.#reaches.clear();
      this.#stamp = stamp;
    }
    let reach = this.#reaches.get(principalId);
    if (reach === undefined) {
      reach = readReach(tables, principalId);
      if (this.#reaches.size >= maxRemembered) this.#reaches.clear();
      this.#reaches.set(principalId, reach);
    }
    return reach;
  }
}
