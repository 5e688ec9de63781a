import { findReaders, type FoundReader } from '../../access/find-readers.js';
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
  /** A document or folder, or a place where nothing lies yet. */
  readonly location: Location;
  /** The position that the page before ended at; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** By name, and by id where names are the same. Names hold no control characters. */
function positionOf({ principal }: Reader): string {
  return `${principal.displayName}\0${principal.id}`;
}

/** What people read of a way, ids last: those are random. */
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
    // Ways that look the same are one: how many groups there are that cannot be named is not told.
    via.set(JSON.stringify(shown), shown);
  }
  const ordered = [...via.values()].toSorted((a, b) => compareText(wordsOf(a), wordsOf(b)));
  return { principal: { id, kind, displayName }, role, via: ordered };
}

/** Everyone who can read there, by name. */
function describeReaders(view: View, caller: Caller, location: Location): Reader[] {
  const names = new GroupNames(view.tables, caller, roleContains(view.roleAt(location), 'approver'));
  return findReaders(view.tables, location, findDocumentId(view.tables, location))
    .map((found) => describeReader(found, names))
    .toSorted((a, b) => compareText(positionOf(a), positionOf(b)));
}

/**
 * Who can read a place now, with which role and by which grant. For a place where nothing lies yet, who could read what
 * is written there. Reader of the place, which for one that is empty comes from the folders above alone; so an answer
 * says nothing about whether something lies there that the caller could not read anyway.
 */
export const listReaders: ReadOperation<ListReadersInput, Page<Reader>> = {
  kind: 'read',
  name: 'reader.list',
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run({ view, caller }, { location, after, limit }) {
    const following = describeReaders(view, caller, location).filter(
      (reader) => compareText(positionOf(reader), after) > 0,
    );
    return makePage(following, limit, positionOf);
  },
};
