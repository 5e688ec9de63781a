import { isWithin, joinLocation, segmentsOf, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';
import { findDocument, findFolder } from '../view/locate.js';

/** A document on the way, or a folder that was entered. */
export interface Passed {
  /** Number of the document; null for a folder. */
  readonly document: number | null;
  /** Where to go on behind it: its segments, with an empty name behind those of a folder. */
  readonly behind: readonly string[];
}

const rowsAtOnce = 64;

/**
 * Every live document at or below these places, in one order: a folder's own by name, then its folders by name. It
 * names each folder on the way, so that also a long way without documents can be broken off.
 * @param places in order, none in another
 * @param behind where to go on: below one of these places; null for the beginning
 */
export function* walkBelow(
  tables: Tables,
  places: readonly Location[],
  behind: readonly string[] | null,
): Generator<Passed> {
  const last = behind === null ? -1 : places.findIndex((place) => isWithin(place, behind.join('/') as Location));
  for (const [index, place] of places.entries()) {
    if (index < last) continue;
    const depth = segmentsOf(place).length;
    const rest = index === last ? behind?.slice(depth) : undefined;
    const folder = findFolder(tables, place);
    if (folder !== undefined) yield* walkFolder(tables, folder.row.number, place, rest);
    else if (rest === undefined) {
      const document = findDocument(tables, place);
      if (document !== undefined) yield { document: document.row.number, behind: segmentsOf(place) };
    }
  }
}

function* walkFolder(
  tables: Tables,
  number: number,
  location: Location,
  behind: readonly string[] | undefined,
): Generator<Passed> {
  const segments = segmentsOf(location);
  const [first, ...rest] = behind ?? [];
  if (first === undefined) yield { document: null, behind: [...segments, ''] };
  if (rest.length === 0) {
    for (let after: string | undefined = first ?? ''; after !== undefined;) {
      const rows = tables.feed.inFolder(number, after, rowsAtOnce);
      for (const row of rows) yield { document: row.number, behind: [...segments, row.name] };
      after = rows.length < rowsAtOnce ? undefined : rows.at(-1)?.name;
    }
  } else {
    const child = tables.folders.child(number, first ?? '');
    if (child !== undefined) yield* walkFolder(tables, child.number, joinLocation(location, child.name), rest);
  }
  for (let after: string | undefined = rest.length === 0 ? '' : first; after !== undefined;) {
    const children = tables.folders.children(number, after, rowsAtOnce);
    for (const child of children)
      yield* walkFolder(tables, child.number, joinLocation(location, child.name), undefined);
    after = children.length < rowsAtOnce ? undefined : children.at(-1)?.name;
  }
}
