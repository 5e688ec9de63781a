import { joinLocation, type Location } from '../domain/location.js';
import type { Journal } from '../journal/journal.js';
import { Rests } from '../scheduling/rests.js';
import type { DocumentPlace } from '../sidecar/tables/document-table.js';
import type { Tables } from '../sidecar/tables.js';
import { locationOfFolder } from '../view/locate.js';
import type { IndexEvent } from './index-event.js';
import { toIndex } from './read-documents.js';
import type { SearchKeeper } from './search-keeper.js';

/** Documents compared in one go. Where all of them differ, it takes some milliseconds. */
const together = 100;
/** The index has no keys from this on. */
const endOfKeys = 2 ** 32;

/**
 * Compares the documents of the index with the rows, by their numbers, and corrects those that differ. Trees do not
 * show all of that: where a document was deleted and made again with the same content, or two equal ones changed
 * places, they look as before. Works in steps, while writes go on.
 * @returns how many entries were corrected
 */
export async function mendIdentities(journal: Journal, keeper: SearchKeeper): Promise<number> {
  let corrected = 0;
  const rests = new Rests();
  for (let after = 0; after < endOfKeys && !keeper.isClosing;) {
    if (rests.isDue) await rests.take();
    await keeper.settled();
    // Only while no event waits, the index is what the rows are at this moment.
    if (!keeper.isSettled) continue;
    const { reader, state } = journal;
    const places = reader.documents.placesAfter(after, together);
    const upTo = places.length < together ? endOfKeys : (places.at(-1)?.number ?? endOfKeys);
    const events = compare(reader, places, keeper.index.placesBetween(after, upTo));
    keeper.follow(state.head ?? '', events);
    corrected += events.length;
    after = upTo;
  }
  await keeper.settled();
  return corrected;
}

/** @param held the locations in the index, by number: what is left of it has no document */
function compare(tables: Tables, places: readonly DocumentPlace[], held: Map<number, Location>): IndexEvent[] {
  const folders = new Map<number, Location>();
  const written: IndexEvent[] = [];
  for (const { number, folder, name } of places) {
    const above = folders.get(folder) ?? locationOfFolder(tables, folder);
    folders.set(folder, above);
    const location = joinLocation(above, name);
    const isRight = held.get(number) === location;
    held.delete(number);
    const row = isRight ? undefined : tables.documents.byNumber(number);
    if (row !== undefined) written.push({ type: 'upsert', document: toIndex(tables, { row, location, mirror: null }) });
  }
  const removed = [...held.values()].map((location): IndexEvent => ({ type: 'remove', location }));
  // A document can be where one stood that is gone.
  return [...removed, ...written];
}
