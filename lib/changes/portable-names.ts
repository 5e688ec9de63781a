import { joinLocation, nameOf, parentOf, rootLocation, segmentsOf, type Location } from '../domain/location.js';
import { faultOfPortableName, twinKeyOf } from '../domain/portable-name.js';
import { conflict, invalidRequest } from '../domain/refusal.js';
import { rootFolderNumber } from '../sidecar/tables/folder-table.js';
import { findFolder, type PathStep } from '../view/locate.js';
import type { View } from '../view/view.js';
import { isStaying, noneLeaving, type Leaving, type Standing } from './location-guards.js';

interface Wanted {
  /** Documents, or a folder, that leave their places by the same change. */
  readonly leaving?: Leaving;
  /** Places that the same change takes. */
  readonly accepted?: Pick<ArrivingNames, 'twinOf'>;
  /** Whether the last name is one that the workspace has already: of a moved thing. */
  readonly keepsName?: boolean;
  /** The name of the location's field, for the message. */
  readonly field?: string;
  /** What the names of the location stand for. Left out: they are looked up. */
  readonly steps?: readonly PathStep[];
}

/**
 * Requires that Windows and macOS can check out a new place beside what the caller reads, where the policy asks for it.
 * Folders that are there keep their names, and so does what only moves: names are judged when they are given.
 * @throws Refusal INVALID_REQUEST `bad_location`; CONFLICT `name_taken` with the place of the twin
 */
export function requirePortable(
  { view, policy }: Standing,
  location: Location,
  { leaving = noneLeaving, accepted, keepsName = false, field = 'location', steps }: Wanted = {},
): void {
  if (!policy.portableNames) return;
  const way = seeWay(view, location, steps);
  requirePortableNames(way, location, keepsName, field);
  const twin = accepted?.twinOf(location) ?? findTwin(view, location, leaving, way);
  if (twin !== undefined) throw twinThere(location, twin);
}

/**
 * The part of it for what comes back with names that the workspace had.
 * @throws Refusal CONFLICT `name_taken` with the place of the twin
 */
export function requireNoTwin({ view, policy }: Standing, location: Location, steps: readonly PathStep[]): void {
  if (!policy.portableNames) return;
  const twin = findTwin(view, location, noneLeaving, seeWay(view, location, steps));
  if (twin !== undefined) throw twinThere(location, twin);
}

/** @throws Refusal INVALID_REQUEST `bad_location` for a segment that no folder has yet */
export function requirePortableNames(
  { depth }: SeenWay,
  location: Location,
  keepsName: boolean,
  field = 'location',
): void {
  const named = segmentsOf(location).slice(depth, keepsName ? -1 : undefined);
  const fault = named
    .toReversed()
    .map(faultOfPortableName)
    .find((each) => each !== undefined);
  if (fault === undefined) return;
  throw invalidRequest('bad_location', `The ${field} ${fault}.`, { field });
}

/** @param twin a place with a name that is the same on Windows and macOS */
function twinThere(location: Location, twin: Location): ReturnType<typeof conflict> {
  const name = segmentsOf(location)[segmentsOf(twin).length - 1] ?? nameOf(location);
  const message = `Windows and macOS cannot tell "${name}" from "${twin}", which is here already. Choose another name, or change that one.`;
  return conflict('name_taken', message, { location: twin });
}

/** The folders on the way to a location, as far as they are there and the caller sees them. */
interface SeenWay {
  /** The number of them: the first segment that is none, or the last segment. */
  readonly depth: number;
  /** The last of them. */
  readonly at: Location;
  readonly folder: number;
  /** Whether the caller reads everything in it. */
  readonly isReader: boolean;
}

/** @param steps what the names of the location stand for. Left out: they are looked up as far as the caller sees them */
export function seeWay(view: View, location: Location, steps?: readonly PathStep[]): SeenWay {
  const segments = segmentsOf(location);
  let way: SeenWay = {
    depth: 0,
    at: rootLocation,
    folder: rootFolderNumber,
    isReader: view.reach.holds('reader', rootLocation),
  };
  for (const [depth, segment] of segments.slice(0, -1).entries()) {
    const at = joinLocation(way.at, segment);
    const isReader = way.isReader || view.reach.holds('reader', at);
    if (!isReader && !leadsToGrant(view, way.at, segment)) break;
    const child = steps === undefined ? view.tables.folders.child(way.folder, segment) : steps[depth]?.child;
    if (child === undefined) break;
    way = { depth: depth + 1, at, folder: child.number, isReader };
  }
  return way;
}

/**
 * The place of something whose name Windows and macOS take for that of the new location, or of a new folder above it.
 * Only what the caller can read counts: a folder that it cannot see is as good as absent. It takes a few look-ups for
 * each segment, however many names a folder has.
 */
export function findTwin(
  view: View,
  location: Location,
  leaving: Leaving = noneLeaving,
  way = seeWay(view, location),
): Location | undefined {
  const segment = segmentsOf(location)[way.depth];
  if (segment === undefined) return undefined;
  const twin = twinsIn(view, way, segment, leaving).find((name) => isThere(view, way.folder, way.at, name, leaving));
  return twin === undefined ? undefined : joinLocation(way.at, twin);
}

/** The names in the folder that the caller can read and that could be twins. */
function twinsIn(view: View, { at, folder, isReader }: SeenWay, name: string, leaving: Leaving): string[] {
  const { documents, folders } = view.tables;
  if (isReader) {
    // Each of those leaving can be one of them.
    const most = leaving.ids.size + 2;
    return [...documents.twinsOf(folder, name, most), ...folders.twinsOf(folder, name, most)];
  }
  return view
    .grantedNames(at)
    .twinsOf(name)
    .map((twin) => twin.name);
}

/** Whether grants of the caller lie in the folder, so that it sees it: as `view.folder` says it, by one look-up. */
function leadsToGrant(view: View, at: Location, name: string): boolean {
  const place = joinLocation(at, name);
  const granted = view.grantedNames(at).named(name);
  if (granted === undefined) return false;
  return (
    granted.documents.some(({ location }) => location !== place) ||
    granted.folders.some((location) => findFolder(view.tables, location) !== undefined)
  );
}

/** Whether the name is in the folder, where the caller can read it, and stays. */
function isThere(view: View, folder: number, at: Location, name: string, leaving: Leaving): boolean {
  const { tables } = view;
  const location = joinLocation(at, name);
  const document = tables.documents.idAt(folder, name);
  if (document !== undefined && !leaving.ids.has(document)) return view.roleAt(location) !== undefined;
  const child = tables.folders.child(folder, name);
  if (child === undefined || child.number === leaving.folder) return false;
  return isSeenToStay(view, { number: child.number, location }, leaving);
}

/** Whether something that the caller can read stays in the folder. */
function isSeenToStay(
  view: View,
  folder: { readonly number: number; readonly location: Location },
  leaving: Leaving,
): boolean {
  const { tables, reach } = view;
  if (reach.holds('reader', folder.location)) return isStaying(tables, folder, leaving);
  const granted = view.grantedNames(parentOf(folder.location)).named(nameOf(folder.location));
  if (granted === undefined) return false;
  if (granted.documents.some(({ row }) => !leaving.ids.has(row.id))) return true;
  return granted.folders.some((location) => {
    const found = findFolder(tables, location);
    return found !== undefined && isStaying(tables, { number: found.row.number, location }, leaving);
  });
}

/** Finds twins among places that arrive together. */
export class ArrivingNames {
  readonly #byKey = new Map<string, Location>();

  /** Notes a new place, and the folders above it. */
  add(location: Location): void {
    for (const place of upwards(location)) {
      const key = twinKeyOf(place);
      if (this.#byKey.has(key)) break;
      this.#byKey.set(key, place);
    }
  }

  /** The place that arrived earlier, and that Windows and macOS take for this one or for a folder above it. */
  twinOf(location: Location): Location | undefined {
    let twin: Location | undefined;
    for (const place of upwards(location)) {
      const other = this.#byKey.get(twinKeyOf(place));
      if (other !== undefined && other !== place) twin = other;
    }
    return twin;
  }
}

function* upwards(location: Location): Generator<Location> {
  for (let place = location; place !== ''; place = parentOf(place)) yield place;
}
