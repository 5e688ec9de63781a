import type { Version } from '../domain/document.js';
import { ancestorsOf, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/sidecar.js';
import { findClaims } from './find-claims.js';
import { descend, findDocument, findFolder } from './locate.js';

/** Why something stays as it is. Stable words. */
export type Obstacle = 'location_occupied' | 'read_only_source' | 'claimed';

/** A deleted document on its way back, with the version whose content it gets. */
export interface Returning {
  readonly number: number;
  readonly id: string;
  readonly location: Location;
  /** Sequence of its last version. */
  readonly sequence: number;
  readonly content: Version;
}

/**
 * Finds room for several documents that come back together: each place must be free now, or about to be, and they must
 * not stand in each other's way. Changes nothing.
 */
export class ReturnPlan {
  readonly #tables: Tables;
  readonly #now: number;
  readonly #callerId: string;
  readonly #leaving: ReadonlySet<string>;
  readonly #places = new Set<Location>();
  readonly #folders = new Set<Location>();

  /**
   * @param options `callerId`: whose claims do not stand in the way; `leaving`: ids of documents that go away in the
   * same change
   */
  constructor(
    tables: Tables,
    options: { readonly now: number; readonly callerId: string; readonly leaving?: ReadonlySet<string> },
  ) {
    const { now, callerId, leaving = new Set() } = options;
    this.#tables = tables;
    this.#now = now;
    this.#callerId = callerId;
    this.#leaving = leaving;
  }

  /** Takes the place for a document. @returns what stands against it, or undefined when the place is taken */
  take(document: Pick<Returning, 'number' | 'id' | 'location'>): Obstacle | undefined {
    const { location } = document;
    const ancestors = ancestorsOf(location);
    if (descend(this.#tables, ancestors.at(-1) ?? location).folder.mirror !== null) return 'read_only_source';
    if (this.#places.has(location) || this.#folders.has(location)) return 'location_occupied';
    if (ancestors.some((ancestor) => this.#places.has(ancestor))) return 'location_occupied';
    if ([...ancestors, location].some((place) => place !== '' && this.#isDocument(place))) return 'location_occupied';
    if (findFolder(this.#tables, location) !== undefined) return 'location_occupied';
    if (this.#tables.grants.atOrBelow(location).length > 0) return 'location_occupied';
    if (this.#isClaimed(document)) return 'claimed';
    this.#places.add(location);
    for (const ancestor of ancestors) this.#folders.add(ancestor);
    return undefined;
  }

  #isClaimed({ number, id, location }: Pick<Returning, 'number' | 'id' | 'location'>): boolean {
    return findClaims(this.#tables, { row: { number, id }, location }, this.#now).some(
      ({ holder }) => holder.id !== this.#callerId,
    );
  }

  #isDocument(location: Location): boolean {
    const found = findDocument(this.#tables, location);
    return found !== undefined && !this.#leaving.has(found.row.id);
  }
}
