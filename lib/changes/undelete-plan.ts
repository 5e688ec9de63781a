import { readPolicy } from '../access/read-policy.js';
import type { Version } from '../domain/document.js';
import type { Grant } from '../domain/grant.js';
import { ancestorsOf, nameOf, parentOf, type Location } from '../domain/location.js';
import type { RestoredDocument } from '../history/event.js';
import type { EventFile } from '../history/projection.js';
import { findClaims } from '../view/find-claims.js';
import { descend, findDocument, nowhere } from '../view/locate.js';
import type { Tables } from '../sidecar/tables.js';
import type { View } from '../view/view.js';
import { noneLeaving, type Leaving } from './location-guards.js';
import { findTwin } from './portable-names.js';

/** The reason to leave something alone. A stable word. */
export type Obstacle = 'location_occupied' | 'read_only_source' | 'claimed';

/** A deleted document to undelete, with the version to restore. */
export interface Returning {
  readonly number: number;
  readonly id: string;
  readonly location: Location;
  /** Sequence of its last version. */
  readonly sequence: number;
  readonly content: Pick<Version, 'blobOid' | 'sha256' | 'size' | 'kind' | 'mediaType'>;
}

/** The file of a restored document. */
export function fileOf({ location, content }: Returning): EventFile {
  return { location, mediaType: content.mediaType, content };
}

/** The event's entry for a restored document. */
export function restoredBy({ id, location, content }: Returning): RestoredDocument {
  return { documentId: id, mediaType: content.mediaType, location };
}

interface Surroundings {
  /** Number of the folder, or a number of no folder. */
  readonly folder: number;
  readonly mirror: string | null;
  /** Whether a document stands in the place of one of the folders. */
  readonly isBlocked: boolean;
  /** The folder and those above it, without the root. */
  readonly chain: readonly Location[];
  /** Names in the folder of folders with grants, or on the way to them. */
  readonly grantedNames: ReadonlySet<string>;
}

/**
 * Finds room for several documents that return together. Each place must be free now, or about to be, and the documents
 * must not conflict with each other. Changes nothing.
 */
export class ReturnPlan {
  readonly #view: View;
  readonly #tables: Tables;
  readonly #callerId: string;
  readonly #leaving: Leaving;
  readonly #isPortable: boolean;
  readonly #places = new Set<Location>();
  readonly #folders = new Set<Location>();
  #claimed: ReadonlySet<number> | undefined;
  readonly #known = new Map<Location, Surroundings>();

  /**
   * @param callerId the principal whose own claims are no obstacle
   * @param leaving documents deleted by the same change
   */
  constructor(view: View, callerId: string, leaving = noneLeaving) {
    this.#view = view;
    this.#tables = view.tables;
    this.#callerId = callerId;
    this.#leaving = leaving;
    this.#isPortable = readPolicy(view.tables).portableNames;
  }

  /** Takes the place for a document. @returns the obstacle, or undefined when the place is taken */
  take(document: Pick<Returning, 'number' | 'id' | 'location'>): Obstacle | undefined {
    const { location } = document;
    const name = nameOf(location);
    const { folder, mirror, isBlocked, chain, grantedNames } = this.#surroundingsOf(parentOf(location));
    if (mirror !== null) return 'read_only_source';
    if (isBlocked || this.#places.has(location) || this.#folders.has(location)) return 'location_occupied';
    if (folder !== nowhere && this.#isTaken(folder, name)) return 'location_occupied';
    if (grantedNames.has(name)) return 'location_occupied';
    // Those that return together were beside each other before.
    if (this.hasTwin(location)) return 'location_occupied';
    if (this.#isClaimed(document)) return 'claimed';
    this.#places.add(location);
    for (const ancestor of chain) this.#folders.add(ancestor);
    return undefined;
  }

  /** Whether the caller reads a twin of the place, in a workspace with portable names. */
  hasTwin(location: Location): boolean {
    return this.#isPortable && findTwin(this.#view, location, this.#leaving) !== undefined;
  }

  #isTaken(folder: number, name: string): boolean {
    const occupant = this.#tables.documents.idAt(folder, name);
    if (occupant !== undefined && !this.#leaving.ids.has(occupant)) return true;
    return this.#tables.folders.child(folder, name) !== undefined;
  }

  #isClaimed({ number, id, location }: Pick<Returning, 'number' | 'id' | 'location'>): boolean {
    if (!(this.#claimed ??= this.#tables.claims.claimedDocuments(this.#view.now)).has(number)) return false;
    return findClaims(this.#tables, { row: { number, id }, location }, this.#view.now).some(
      ({ holder }) => holder.id !== this.#callerId,
    );
  }

  /** Facts that hold for everything to be restored in a folder, looked up once for each. */
  #surroundingsOf(parent: Location): Surroundings {
    const known = this.#known.get(parent);
    if (known !== undefined && !known.chain.some((place) => this.#places.has(place))) return known;
    const { folder, rest } = descend(this.#tables, parent);
    const chain = [...ancestorsOf(parent), parent].filter((place) => place !== '');
    const isBlocked = chain.some((place) => this.#places.has(place) || this.#isDocument(place));
    const number = rest.length === 0 ? folder.row.number : nowhere;
    const grantedNames = new Set(this.#tables.grants.atOrBelow(parent).flatMap((grant) => nameBelow(parent, grant)));
    const found = { folder: number, mirror: folder.mirror, isBlocked, chain, grantedNames };
    this.#known.set(parent, found);
    return found;
  }

  #isDocument(location: Location): boolean {
    const found = findDocument(this.#tables, location);
    return found !== undefined && !this.#leaving.ids.has(found.row.id);
  }
}

/** The name in the folder under which the grant's folder is, or lies. None for a grant on the folder itself. */
function nameBelow(folder: Location, { scope }: Grant): string[] {
  if (scope.type !== 'folder' || scope.location === folder) return [];
  const rest = folder === '' ? scope.location : scope.location.slice(folder.length + 1);
  const [name = ''] = rest.split('/', 1);
  return [name];
}
