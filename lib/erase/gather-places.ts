import { ancestorsOf, rebase, type Location } from '../domain/location.js';
import type { RelocationEvent } from '../sidecar/tables/history-table.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * Every place that a document ever had: those in its own rows, and those given to it by folders above it. Only the
 * folders' renames and moves record the latter. The search goes backwards from each event of the document, and finds a
 * folder's move by an index.
 */
export function gatherPlaces(tables: Tables, document: number): Location[] {
  const { eraseRows, history } = tables;
  const places = new Set<Location>();
  let newest:
    { readonly at: Location; readonly before: number; readonly found: RelocationEvent | undefined } | undefined;
  /** The last move of a folder, before the moment, to a location above the place. */
  const carriedBefore = (at: Location, moment: number): RelocationEvent | undefined => {
    // Thousands of versions can lie at one place. Between most of them, no folder carried the document.
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
    // Before its creation, and while it was deleted, no folder carried it.
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
