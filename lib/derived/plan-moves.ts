import { ancestorsOf, compareText, rootLocation, type Location } from '../domain/location.js';
import type { Author } from '../domain/principal.js';
import type { Displaced } from './compare-reach.js';

/** The event that brought documents where they are now. */
export interface Placing {
  /** Its place in the order of all events. */
  readonly moment: number;
  readonly author: Author;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A commit that moves and deletes documents. */
export interface PlannedMoves {
  readonly placing: Placing;
  /** By the places that they leave. */
  readonly displaced: readonly Displaced[];
}

/**
 * Puts moves and deletions into commits: one for each event, in their order. Only the places of now are ever shown. So
 * the place of one document can be taken until a later event: then the events up to there are one commit, by the last
 * of them.
 * @param displaced with the event of each; where they are now, no two are at one place
 */
export function planMoves(displaced: readonly (Displaced & { readonly placing: Placing })[]): PlannedMoves[] {
  const events = new Map<number, { placing: Placing; displaced: Displaced[] }>();
  const taken = new Places();
  for (const { placing, ...each } of displaced) {
    const event = events.get(placing.moment);
    if (event === undefined) events.set(placing.moment, { placing, displaced: [each] });
    else event.displaced.push(each);
    if (each.from !== null) taken.add(each.from);
  }
  const planned: PlannedMoves[] = [];
  let waiting: Displaced[] = [];
  for (const event of [...events.values()].toSorted((a, b) => a.placing.moment - b.placing.moment)) {
    for (const each of event.displaced) {
      if (each.from !== null) taken.remove(each.from);
      if (each.to !== null) taken.add(each.to);
      waiting.push(each);
    }
    if (taken.hasConflicts) continue;
    planned.push({ placing: event.placing, displaced: waiting.toSorted(compareDisplaced) });
    waiting = [];
  }
  return planned;
}

function compareDisplaced(a: Displaced, b: Displaced): number {
  return compareText(a.from ?? '', b.from ?? '') || compareText(a.to ?? '', b.to ?? '');
}

/** Places of documents, and whether all of them fit into one tree. */
class Places {
  readonly #files = new Map<Location, number>();
  /** How many lie below each folder. */
  readonly #below = new Map<Location, number>();
  #conflicts = 0;

  get hasConflicts(): boolean {
    return this.#conflicts > 0;
  }

  add(place: Location): void {
    this.#count(this.#files, place, 1);
    for (const folder of ancestorsOf(place)) if (folder !== rootLocation) this.#count(this.#below, folder, 1);
  }

  remove(place: Location): void {
    this.#count(this.#files, place, -1);
    for (const folder of ancestorsOf(place)) if (folder !== rootLocation) this.#count(this.#below, folder, -1);
  }

  #count(counts: Map<Location, number>, place: Location, by: number): void {
    if (this.#isConflict(place)) this.#conflicts -= 1;
    const count = (counts.get(place) ?? 0) + by;
    if (count === 0) counts.delete(place);
    else counts.set(place, count);
    if (this.#isConflict(place)) this.#conflicts += 1;
  }

  /** Whether two documents, or a document and a folder, are at the place. */
  #isConflict(place: Location): boolean {
    const files = this.#files.get(place) ?? 0;
    return files > 1 || (files > 0 && (this.#below.get(place) ?? 0) > 0);
  }
}
