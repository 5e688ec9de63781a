import type { Grant, Subject } from '../../domain/grant.js';
import { ancestorsOf, compareText, type Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Role } from '../../domain/role.js';
import type { View } from '../../view/view.js';
import type { ReadOperation } from '../operation.js';

/** A grant by which the caller itself reaches a place. A group is one of its own, so it has a name. */
export interface OwnGrant {
  readonly scopeType: 'folder' | 'document';
  readonly location: Location;
  readonly subject: Subject & { readonly displayName: string };
  readonly role: Role;
}

/** What the caller may see and do about access to a place. */
export interface Sharing {
  readonly location: Location;
  readonly scopeType: 'folder' | 'document';
  /** The caller's own role there. */
  readonly role: Role;
  /**
   * The highest folder, at the place or above it, of which the caller is approver. Grants can be removed there and in
   * every folder from there down. Null where the caller may share at most the document itself.
   */
  readonly sharesFrom: Location | null;
  /** From the root down. */
  readonly own: readonly OwnGrant[];
}

/**
 * A place with the caller's own role there, the grants that give it, and where above the caller may change grants.
 * Reader there. @throws Refusal NOT_FOUND where nothing is
 */
export const showSharing: ReadOperation<{ readonly location: Location }, Sharing> = {
  kind: 'read',
  name: 'sharing.show',
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run({ view, caller }, { location }) {
    const document = view.document(location);
    const role = view.roleAt(location);
    if (role === undefined || (document === undefined && view.folder(location) === undefined)) throw notFound();
    const sharesFrom = [...ancestorsOf(location), ...(document === undefined ? [location] : [])].find((place) =>
      view.reach.holds('approver', place),
    );
    return {
      location,
      scopeType: document === undefined ? 'folder' : 'document',
      role,
      sharesFrom: sharesFrom ?? null,
      own: findOwn(view, caller.principalId, location, document?.id),
    };
  },
};

/** Sought from the caller's own grants, so its time does not depend on those of others. */
function findOwn(
  { tables }: View,
  principalId: string,
  location: Location,
  documentId: string | undefined,
): OwnGrant[] {
  const groups = tables.groups.groupsAbove({ type: 'principal', id: principalId });
  const places = new Set<Location>([...ancestorsOf(location), ...(documentId === undefined ? [location] : [])]);
  const placeOf = ({ scope }: Grant): Location | undefined => {
    if (scope.type === 'document') return scope.documentId === documentId ? location : undefined;
    return places.has(scope.location) ? scope.location : undefined;
  };
  const nameOf = ({ type, id }: Subject): string =>
    (type === 'group' ? tables.groups.find(id) : tables.principals.find(id))?.displayName ?? id;
  return tables.grants
    .forSubjects(principalId, groups)
    .toSorted((a, b) => compareText(a.id, b.id))
    .flatMap((grant) => {
      const place = placeOf(grant);
      const { scope, subject, role } = grant;
      if (place === undefined) return [];
      return [{ scopeType: scope.type, location: place, subject: { ...subject, displayName: nameOf(subject) }, role }];
    })
    .toSorted((a, b) => a.location.length - b.location.length);
}
