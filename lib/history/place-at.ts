import { ancestorsOf, joinLocation, nameOf, parentOf, rebase, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';
import type { PresentRow } from '../sidecar/tables/feed-table.js';
import type { RelocationEvent } from '../sidecar/tables/history-table.js';
import { locationOfFolder } from '../view/locate.js';

/** Where a document was at a moment. */
export interface PastPlace {
  /** Null while it was deleted, or not made yet. */
  readonly location: Location | null;
  /** Moment of its own first move or deletion after that; null without one. */
  readonly departure: number | null;
}

/**
 * Places of documents, now and at past moments: the present one, with every later move undone, its own and those of
 * folders above it. Good for one turn of the event loop, like its tables.
 */
export class Places {
  readonly #tables: Tables;
  readonly #paths = new Map<number, Location>();
  #lastFolderMove: number | undefined;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The document, live or deleted. Undefined for one that is being erased, or was. */
  find(number: number): PresentRow | undefined {
    return this.#tables.feed.present(number);
  }

  /** Its present place; null when it is deleted. */
  present({ folder, name }: Pick<PresentRow, 'folder' | 'name'>): Location | null {
    return folder === null ? null : joinLocation(this.#pathOf(folder), name);
  }

  /** Its place after the commit of that moment. */
  at(document: PresentRow, moment: number): PastPlace {
    const { feed } = this.#tables;
    const next = feed.nextDeparture(document.number, moment);
    const departure = next?.moment ?? null;
    if (!this.#livedAt(document, moment)) return { location: null, departure };
    const later = next?.from ?? this.present(document);
    if (later === null) return { location: null, departure };
    return { location: this.undoFolders(later, moment, departure ?? Number.MAX_SAFE_INTEGER), departure };
  }

  /** Where something was at a moment that is at a place just before a later one, by the moves of folders above it. */
  undoFolders(place: Location, moment: number, before: number): Location {
    this.#lastFolderMove ??= this.#tables.feed.lastFolderMove();
    let location = place;
    for (let until = before; this.#lastFolderMove > moment;) {
      const carried = this.#lastCarried(location, until);
      if (carried === undefined || carried.moment <= moment) break;
      location = rebase(location, carried.to, carried.from);
      until = carried.moment;
    }
    return location;
  }

  /** Where the folder was at a moment that is now at this place, by the moves of itself and of folders above it. */
  folderAt(folder: Location, moment: number): Location {
    if (folder === '') return folder;
    // What lies in it was carried by its own moves, too.
    return parentOf(this.undoFolders(joinLocation(folder, nameOf(folder)), moment, Number.MAX_SAFE_INTEGER));
  }

  /** The last move, before the moment, of a folder above the place. */
  #lastCarried(place: Location, before: number): RelocationEvent | undefined {
    let last: RelocationEvent | undefined;
    for (const folder of ancestorsOf(place)) {
      const found = this.#tables.history.folderRelocationBefore(folder, before);
      if (found !== undefined && found.moment > (last?.moment ?? -1)) last = found;
    }
    return last;
  }

  #livedAt({ number, firstMoment, sequence }: PresentRow, moment: number): boolean {
    if (firstMoment > moment) return false;
    const { briefs, feed } = this.#tables;
    const deleted = feed.lastDeletion(number, moment);
    if (deleted === undefined) return true;
    // Whatever makes a deleted document live again is a version.
    return briefs.sequenceAt(number, sequence, moment) > briefs.sequenceAt(number, sequence, deleted);
  }

  #pathOf(folder: number): Location {
    let path = this.#paths.get(folder);
    if (path === undefined) this.#paths.set(folder, (path = locationOfFolder(this.#tables, folder)));
    return path;
  }
}
