import { compareText, joinLocation, type Location } from '../domain/location.js';
import { faultOfPortableName } from '../domain/portable-name.js';
import { PartSize, type Steps } from '../scheduling/in-steps.js';
import type { Tables } from '../sidecar/tables.js';
import { locationOfFolder } from './locate.js';

/** A name with which Windows or macOS cannot check out a clone. */
export interface UnportableName {
  readonly location: Location;
  /** In words, as the predicate of a sentence. */
  readonly fault: string;
}

/** Names that are found, and how many there are. */
export interface UnportableNames {
  /** The first ones. */
  readonly named: readonly UnportableName[];
  readonly count: number;
}

/** Twins of one name that are looked at. */
const mostTwins = 10;

/**
 * Goes through the names of all documents and folders, with a rest after each part. Of two twins, the later one is
 * counted.
 * @param show shows the present state, which may change at each rest
 * @param most names that are kept
 */
export function* findUnportableNames(show: () => Tables, most: number): Steps<UnportableNames> {
  const named: UnportableName[] = [];
  let count = 0;
  for (const of of ['documents', 'folders'] as const) {
    const size = new PartSize();
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      after = size.run((items): number | undefined => {
        const tables = show();
        const places = tables[of].placesAfter(from, items);
        for (const { folder, name } of places) {
          const fault = faultOf(tables, folder, name);
          if (fault === undefined) continue;
          count += 1;
          if (named.length < most)
            named.push({ location: joinLocation(locationOfFolder(tables, folder), name), fault });
        }
        return places.at(-1)?.number;
      });
      yield;
    }
  }
  return { named, count };
}

function faultOf(tables: Tables, folder: number, name: string): string | undefined {
  const fault = faultOfPortableName(name);
  if (fault !== undefined) return fault;
  const twins = [
    ...tables.documents.twinsOf(folder, name, mostTwins),
    ...tables.folders.twinsOf(folder, name, mostTwins),
  ];
  const twin = twins.find((other) => compareText(other, name) < 0);
  return twin === undefined ? undefined : `is the same name as "${twin}" there`;
}
