import { ancestorsOf, rebase, type Location } from '../domain/location.js';
import type { RelocationEvent } from '../sidecar/tables/history-table.js';
import type { Tables } from '../sidecar/tables.js';

/** Where a document was, from one moment on until before another. */
export interface PlaceSpan {
  readonly place: Location;
  readonly since: number;
  readonly until: number;
}

/**
 * Where a document was between its own events, the last first: the places in its rows, and those that folders above it
 * gave it. Only the folders' renames and moves record the latter. The search goes backwards from each event of the
 * document, and finds a folder's move by an index.
 */
export function* placeSpans(tables: Tables, document: number): Generator<PlaceSpan> {
  const { eraseRows, history } = tables;
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
  for (const [index, { from, moment }] of events.entries()) {
    const earlier = events[index + 1];
    // Before its creation, and while it was deleted, it was nowhere.
    if (earlier === undefined || earlier.to === null) continue;
    let [place, until] = [from, moment];
    let folder = carriedBefore(place, until);
    while (folder !== undefined && folder.moment > earlier.moment) {
      yield { place, since: folder.moment, until };
      [place, until] = [rebase(place, folder.to, folder.from), folder.moment];
      folder = carriedBefore(place, until);
    }
    yield { place, since: earlier.moment, until };
  }
}
