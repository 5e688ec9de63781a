import { join } from 'node:path';
import type { Location } from '../domain/location.js';
import type { Oid } from '../git/objects/objects.js';

/** What a derived repository shows of a document, or showed once. */
export interface ShownDocument {
  /** Where its newest commit has the document. Null when a commit deleted it. */
  readonly place: Location | null;
  /** Number of the last version shown. */
  readonly sequence: number;
  /** Other places at which earlier commits have it. */
  readonly formerPlaces: readonly Location[];
}

/** A pack of the repository. A file that is not listed is a remnant of a crash. */
export interface ListedPack {
  /** As in `pack-<name>.pack`. */
  readonly name: string;
  /** Of the pack's file. */
  readonly bytes: number;
}

/** The truth about a derived repository. Its branch follows the head here. */
export interface DerivedState {
  readonly head: Oid | null;
  readonly packs: readonly ListedPack[];
  /** Every document that the repository ever included, by its id. */
  readonly documents: ReadonlyMap<string, ShownDocument>;
}

/** Where the parts of a derived repository lie in its principal's folder. */
export function derivedPaths(folder: string): { repository: string; making: string; state: string } {
  return {
    /** The bare repository that is served. */
    repository: join(folder, 'repository.git'),
    /** Objects on their way into it. Nothing here outlives a derivation. */
    making: join(folder, 'making.git'),
    /** The state's file. Without it there is no repository. */
    state: join(folder, 'state'),
  };
}

/**
 * Whether the folder may hold any of these documents. Also true when a derivation was cut off, or the state cannot be
 * read: then the folder may hold anything. False when there is no folder. It reads the file in pieces.
 */
export async function stateHolds(folder: string, documentIds: ReadonlySet<string>): Promise<boolean> {
  return Promise.reject(new Error(`${folder} cannot be read yet (${documentIds.size}).`));
}
