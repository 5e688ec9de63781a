import { findReaders, type FoundReader } from '../../view/find-readers.js';
import type { Caller } from '../../domain/caller.js';
import { compareText, type Location } from '../../domain/location.js';
import { makePage, type Page } from '../../domain/page.js';
import type { Reader, ReadingGrant } from '../../domain/reader.js';
import { roleContains } from '../../domain/role.js';
import { findDocumentId } from '../../view/locate.js';
import type { View } from '../../view/view.js';
import { GroupNames } from './name-groups.js';
import type { ReadOperation } from '../operation.js';

export interface ListReadersInput {
  /** A document or folder, or an empty place. */
  readonly location: Location;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The place of a reader in a list: by name, and by id for the same names. Names hold no control characters. */
export function positionOfReader({ principal }: Reader): string {
  return `${principal.displayName}\0${principal.id}`;
}

/** The words of a path that readers see. Ids come last, because they are random. */
function wordsOf({ location, scopeType, role, groups }: ReadingGrant): string {
  return JSON.stringify([location, scopeType, role, groups.map(({ displayName }) => displayName), groups]);
}

function describeReader({ principal, role, paths }: FoundReader, names: GroupNames): Reader {
  const { id, kind, displayName } = principal;
  const via = new Map<string, ReadingGrant>();
  for (const { grant, location, groups } of paths) {
    const shown: ReadingGrant = {
      role: grant.role,
      scopeType: grant.scope.type,
      location,
      groups: groups.map((group) => names.show(group)),
    };
    // Paths that look the same are one: the number of groups without a visible name stays hidden.
    via.set(JSON.stringify(shown), shown);
  }
  const ordered = [...via.values()].toSorted((a, b) => compareText(wordsOf(a), wordsOf(b)));
  return { principal: { id, kind, displayName }, role, via: ordered };
}

/** All readers of the place, by name. */
function describeReaders(view: View, caller: Caller, location: Location): Reader[] {
  const names = new GroupNames(view.tables, caller, roleContains(view.roleAt(location), 'approver'));
  return findReaders(view.tables, location, findDocumentId(view.tables, location))
    .map((found) => describeReader(found, names))
    .toSorted((a, b) => compareText(positionOfReader(a), positionOfReader(b)));
}

/**
 * The readers of a place now, with their roles and grants. For an empty place: the readers of anything written there.
 * Reader of the place. At an empty place, that role comes from the folders above alone. So an answer never reveals the
 * presence of anything that the caller could not read anyway.
 */
export const listReaders: ReadOperation<ListReadersInput, Page<Reader>> = {
  kind: 'read',
  name: 'reader.list',
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run({ view, caller }, { location, after, limit }) {
    const following = describeReaders(view, caller, location).filter(
      (reader) => compareText(positionOfReader(reader), after) > 0,
    );
    return makePage(following, limit, positionOfReader);
  },
};
