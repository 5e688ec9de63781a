import type { Version } from '../domain/document.js';
import { ancestorsOf, nameOf, parentOf, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/sidecar.js';
import { findClaims } from './find-claims.js';
import { descend, findDocument, nowhere } from './locate.js';

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

interface Surroundings {
  /** Number of the folder, or one that no folder has. */
  readonly folder: number;
  readonly mirror: string | null;
  /** Whether a document stands where one of the folders would have to be. */
  readonly isBlocked: boolean;
  /** The folder and those above it, without the root. */
  readonly chain: readonly Location[];
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
  readonly #known = new Map<Location, Surroundings>();

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
    const { folder, mirror, isBlocked } = this.#surroundingsOf(parentOf(location));
    if (mirror !== null) return 'read_only_source';
    if (isBlocked || this.#places.has(location) || this.#folders.has(location)) return 'location_occupied';
    const occupant = this.#tables.documents.idAt(folder, nameOf(location));
    if (occupant !== undefined && !this.#leaving.has(occupant)) return 'location_occupied';
    if (this.#tables.folders.child(folder, nameOf(location)) !== undefined) return 'location_occupied';
    if (this.#tables.grants.atOrBelow(location).length > 0) return 'location_occupied';
    if (this.#isClaimed(document)) return 'claimed';
    this.#places.add(location);
    for (const ancestor of ancestorsOf(location)) this.#folders.add(ancestor);
    return undefined;
  }

  #isClaimed({ number, id, location }: Pick<Returning, 'number' | 'id' | 'location'>): boolean {
    return findClaims(this.#tables, { row: { number, id }, location }, this.#now).some(
      ({ holder }) => holder.id !== this.#callerId,
    );
  }

  /** What holds for all that would come to lie in a folder; looked up once for each. */
  #surroundingsOf(parent: Location): Surroundings {
    const known = this.#known.get(parent);
    if (known !== undefined && !known.chain.some((place) => this.#places.has(place))) return known;
    const { folder, rest } = descend(this.#tables, parent);
    const chain = [...ancestorsOf(parent), parent].filter((place) => place !== '');
    const isBlocked = chain.some((place) => this.#places.has(place) || this.#isDocument(place));
    const number = rest.length === 0 ? folder.row.number : nowhere;
    const found = { folder: number, mirror: folder.mirror, isBlocked, chain };
    this.#known.set(parent, found);
    return found;
  }

  #isDocument(location: Location): boolean {
    const found = findDocument(this.#tables, location);
    return found !== undefined && !this.#leaving.has(found.row.id);
  }
}
