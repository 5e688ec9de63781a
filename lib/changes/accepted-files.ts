import { ancestorsOf, type Location } from '../domain/location.js';
import { nameTaken } from './location-guards.js';
import { ArrivingNames } from './portable-names.js';

/** A file that an import or a push wants to create. */
export interface WantedFile {
  readonly location: Location;
  readonly sha256: string;
}

/** Files accepted so far. Later ones must not conflict with them. */
export class AcceptedFiles {
  readonly #byLocation = new Map<Location, string>();
  readonly #folders = new Set<Location>();
  readonly #names = new ArrivingNames();

  add({ location, sha256 }: WantedFile): void {
    this.#byLocation.set(location, sha256);
    for (const folder of ancestorsOf(location)) this.#folders.add(folder);
    this.#names.add(location);
  }

  /** The SHA-256 of the file there. */
  at(location: Location): string | undefined {
    return this.#byLocation.get(location);
  }

  /** @throws Refusal CONFLICT `name_taken` */
  requireFree(location: Location): void {
    for (const place of [...ancestorsOf(location), location]) {
      if (this.#byLocation.has(place)) throw nameTaken(place, 'A document');
    }
    if (this.#folders.has(location)) throw nameTaken(location, 'A folder');
  }

  /** The place of an accepted file, or above it, that Windows and macOS take for this one. */
  twinOf(location: Location): Location | undefined {
    return this.#names.twinOf(location);
  }
}
