import { ancestorsOf, type Location } from '../domain/location.js';
import { notFound, Refusal } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { descentAbove, findDocument } from '../view/locate.js';
import { ArrivingNames, requirePortable } from './portable-names.js';
import { nameTaken, requireFree, requireNoFolderGrant, requireWritable, type Standing } from './location-guards.js';

/** A file that an import wants to create. */
export interface WantedFile {
  readonly location: Location;
  readonly sha256: string;
}

/** The outcome of each file, after all checks. */
interface DecidedImport<File> {
  readonly accepted: readonly File[];
  /** Already there with the same bytes: an import can be resumed. */
  readonly unchanged: readonly Location[];
  /** Left alone, with the reason in words. An import never overwrites. */
  readonly skipped: readonly { readonly location: Location; readonly reason: string }[];
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

/** The reason why a file cannot be created, or undefined. */
function obstacleTo(standing: Standing, accepted: AcceptedFiles, location: Location): string | undefined {
  try {
    accepted.requireFree(location);
    const steps = requireFree(standing, location);
    requirePortable(standing, location, { accepted, steps });
    requireNoFolderGrant(standing, location);
    requireWritable(standing.transaction.tables, descentAbove(location, steps).folder.mirror);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/**
 * Decides what an import of a batch does, or would do. Of files that conflict with each other, the first is accepted.
 * @param before files accepted earlier; those of the batch are added
 */
export function decideImport<File extends WantedFile>(
  standing: Standing,
  before: AcceptedFiles,
  files: readonly File[],
): DecidedImport<File> {
  const { tables } = standing.transaction;
  const accepted: File[] = [];
  const unchanged: Location[] = [];
  const skipped: { location: Location; reason: string }[] = [];
  for (const file of files) {
    const { location, sha256 } = file;
    // Each file is checked alone, regardless of the batch's folder: even "already there" would reveal it. `perform`
    // allows or refuses a whole request, so it cannot do this check. A batch imports the allowed files and names the
    // rest.
    if (!roleContains(standing.view.roleAt(location), 'editor')) {
      skipped.push({ location, reason: notFound().message });
      continue;
    }
    const present = before.at(location) ?? findDocument(tables, location)?.row.current.sha256;
    if (present === sha256) {
      unchanged.push(location);
      continue;
    }
    const obstacle = obstacleTo(standing, before, location);
    if (obstacle === undefined) {
      before.add(file);
      accepted.push(file);
    } else skipped.push({ location, reason: obstacle });
  }
  return { accepted, unchanged, skipped };
}
