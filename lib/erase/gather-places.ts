import { ancestorsOf, rebase, type Location } from '../domain/location.js';
import type { RelocationEvent } from '../sidecar/tables/history-table.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * Every place that a document ever had: those that its own rows name, and those through which folders above it carried
 * it, of which only the folders' renames and moves tell. Found backwards from each thing that happened to it, a folder's
 * move by an index.
 */
export function gatherPlaces(tables: Tables, document: number): Location[] {
  const { eraseRows, history } = tables;
  const places = new Set<Location>();
  let newest:
    { readonly at: Location; readonly before: number; readonly found: RelocationEvent | undefined } | undefined;
  /** The last folder before the moment that came to lie at one above the place. */
  const carriedBefore = (at: Location, moment: number): RelocationEvent | undefined => {
    // Thousands of versions lie at one place, and nothing carried the document between most of them.
    const isKnown = newest?.at === at && newest.before >= moment && (newest.found?.moment ?? -1) < moment;
    if (!isKnown) {
      const found = ancestorsOf(at)
        .map((folder) => history.folderRelocationBefore(folder, moment))
        .reduce((latest, each) => ((each?.moment ?? -1) > (latest?.moment ?? -1) ? each : latest), undefined);
      newest = { at, before: moment, found };
    }
    return newest?.found;
  };
  const events = eraseRows.eventsOf(document);
  for (const [index, { from, to, moment }] of events.entries()) {
    places.add(from);
    if (to !== null) places.add(to);
    const earlier = events[index + 1];
    // Before it was made, and while it was deleted, no folder carried it.
    if (earlier === undefined || earlier.to === null) continue;
    let at = from;
    let folder = carriedBefore(at, moment);
    while (folder !== undefined && folder.moment > earlier.moment) {
      at = rebase(at, folder.to, folder.from);
      places.add(at);
      folder = carriedBefore(at, folder.moment);
    }
  }
  return [...places];
}
