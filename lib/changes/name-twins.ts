import { isWithin, joinLocation, rootLocation, segmentsOf, type Location } from '../domain/location.js';
import { maxLimit, type Page } from '../domain/page.js';
import type { Steps } from '../scheduling/in-steps.js';
import { rootFolderNumber } from '../sidecar/tables/folder-table.js';
import { findFolder, nowhere } from '../view/locate.js';
import type { View } from '../view/view.js';
import { isStaying, type Leaving } from './location-guards.js';

/** Names read in one step. */
const namesInStep = 1000;

/** A name as disks compare it that know no case or no composition of letters. */
const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Finds names that many disks cannot tell apart, so that a clone could not hold both. Only names count that the caller
 * can read, and a folder that it cannot see is as good as absent. Each folder is read once, in steps.
 */
export class NameTwins {
  /** The names in a folder by their folded forms. Some may be gone: each is looked up before it counts. */
  readonly #known = new Map<Location, Map<string, Set<string>>>();
  /** New places of one commit, and the new folders above them, by their folded forms. */
  #arriving = new Map<string, Location>();
  /** Whether the caller sees a folder there, before the commit. */
  #seen = new Map<Location, boolean>();

  /** Forgets what arrived by the commit before. */
  beginCommit(): void {
    this.#arriving = new Map();
    this.#seen = new Map();
  }

  /** The place of a twin of the new location, or of a folder above it. */
  *find(view: View, location: Location, leaving: Leaving): Steps<Location | undefined> {
    for (const place of this.#newPlaces(view, location)) {
      const other = this.#arriving.get(fold(place));
      if (other !== undefined && other !== place) return other;
    }
    const { folders } = view.tables;
    let folder = rootFolderNumber;
    let at = rootLocation;
    const segments = segmentsOf(location);
    for (const [depth, segment] of segments.entries()) {
      const place = joinLocation(at, segment);
      const child = this.#isSeen(view, place) ? folders.child(folder, segment) : undefined;
      if (child === undefined || depth === segments.length - 1) {
        const names = yield* this.#namesIn(view, folder, at);
        for (const name of names.get(fold(segment)) ?? []) {
          if (name !== segment && isThere(view, folder, at, name, leaving)) return joinLocation(at, name);
        }
      }
      if (child === undefined) return undefined;
      folder = child.number;
      at = place;
    }
    return undefined;
  }

  /** Notes a new location, which has no twin. */
  take(view: View, location: Location): void {
    for (const place of this.#newPlaces(view, location)) this.#arriving.set(fold(place), place);
    let at = rootLocation;
    for (const segment of segmentsOf(location)) {
      const names = this.#known.get(at);
      if (names !== undefined) note(names, segment);
      at = joinLocation(at, segment);
    }
  }

  #isSeen(view: View, folder: Location): boolean {
    let isSeen = this.#seen.get(folder);
    if (isSeen === undefined) {
      isSeen = view.folder(folder) !== undefined;
      this.#seen.set(folder, isSeen);
    }
    return isSeen;
  }

  /** The folders above the location that are not there yet, and itself. */
  #newPlaces(view: View, location: Location): Location[] {
    const places: Location[] = [location];
    for (let at = location.lastIndexOf('/'); at >= 0; at = location.lastIndexOf('/', at - 1)) {
      const above = location.slice(0, at) as Location;
      if (this.#isSeen(view, above)) break;
      places.push(above);
    }
    return places.toReversed();
  }

  *#namesIn(view: View, folder: number, at: Location): Steps<Map<string, Set<string>>> {
    const known = this.#known.get(at);
    if (known !== undefined) return known;
    const names = new Map<string, Set<string>>();
    for (const list of listsOf(view, folder, at)) {
      for (let after: string | null = ''; after !== null;) {
        const page: Page<string> = list(after);
        for (const name of page.items) note(names, name);
        after = page.next;
        yield;
      }
    }
    this.#known.set(at, names);
    return names;
  }
}

function note(names: Map<string, Set<string>>, name: string): void {
  const folded = fold(name);
  const alike = names.get(folded);
  if (alike === undefined) names.set(folded, new Set([name]));
  else alike.add(name);
}

/** Whether the name is in the folder, and stays. */
function isThere(view: View, folder: number, at: Location, name: string, leaving: Leaving): boolean {
  const { tables } = view;
  const document = tables.documents.idAt(folder, name);
  if (document !== undefined && !leaving.ids.has(document)) return true;
  const child = tables.folders.child(folder, name);
  return child !== undefined && isSeenToStay(view, { number: child.number, location: joinLocation(at, name) }, leaving);
}

/** Whether something that the caller can read stays in the folder. */
function isSeenToStay(
  { tables, reach, grantedDocuments }: View,
  folder: { readonly number: number; readonly location: Location },
  leaving: Leaving,
): boolean {
  if (reach.holds('reader', folder.location)) return isStaying(tables, folder, leaving);
  if (grantedDocuments.some(({ row, location }) => isWithin(folder.location, location) && !leaving.ids.has(row.id))) {
    return true;
  }
  return reach.foldersBelow(folder.location).some((location) => {
    const found = findFolder(tables, location);
    return found !== undefined && isStaying(tables, { number: found.row.number, location }, leaving);
  });
}

/** The lists of names that the caller can read in the folder. */
function listsOf(view: View, folder: number, at: Location): ((after: string) => Page<string>)[] {
  if (folder === nowhere) return [];
  if (view.reach.holds('reader', at)) {
    return [view.tables.documents, view.tables.folders].map((table) => (after) => {
      const items = table.names(folder, after, namesInStep);
      return { items, next: items.length < namesInStep ? null : (items.at(-1) ?? null) };
    });
  }
  const named = ({ items, next }: Page<{ readonly name: string }>): Page<string> => ({
    items: items.map(({ name }) => name),
    next,
  });
  return [(after) => named(view.documents(at, after, maxLimit)), (after) => named(view.folders(at, after, maxLimit))];
}
