import type { Location } from '../domain/location.js';
import { ancestorsOf } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import { notFound, Refusal } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { descend, findDocument } from '../view/locate.js';
import { noteSearch, noteWritten } from './index-changes.js';
import { nameTaken, requireFree, requireNoFolderGrant, requireWritable } from './location-guards.js';
import { mediaTypesOf } from './media-types.js';
import type { PreparedContent } from './prepare-content.js';
import { recordEvent } from './record-event.js';
import type { WriteContext } from './write-context.js';

/** One document of a batch. */
export interface ImportedFile {
  readonly location: Location;
  readonly content: PreparedContent;
  readonly mediaType: string;
}

export interface Import {
  readonly files: readonly ImportedFile[];
  readonly message: string | null;
  /** Who wrote them, according to the source. */
  readonly originalAuthor?: OriginalAuthor | undefined;
}

/** The outcome of each file in a batch. */
export interface ImportResult {
  readonly created: readonly Location[];
  /** Already there with the same bytes: an import can be resumed. */
  readonly unchanged: readonly Location[];
  /** Left alone, with the reason in words. An import never overwrites. */
  readonly skipped: readonly { readonly location: Location; readonly reason: string }[];
  /** The commit, or null when there was nothing to do. */
  readonly versionId: string | null;
}

/** The outcome of each file, after all checks. */
interface DecidedImport extends Omit<ImportResult, 'created' | 'versionId'> {
  readonly accepted: readonly ImportedFile[];
}

/** Files of a batch accepted so far. Later ones must not conflict with them. */
class AcceptedFiles {
  readonly list: ImportedFile[] = [];
  readonly #byLocation = new Map<Location, ImportedFile>();
  readonly #folders = new Set<Location>();

  add(file: ImportedFile): void {
    this.list.push(file);
    this.#byLocation.set(file.location, file);
    for (const folder of ancestorsOf(file.location)) this.#folders.add(folder);
  }

  at(location: Location): ImportedFile | undefined {
    return this.#byLocation.get(location);
  }

  /** @throws Refusal CONFLICT `name_taken` */
  requireFree(location: Location): void {
    for (const place of [...ancestorsOf(location), location]) {
      if (this.#byLocation.has(place)) throw nameTaken(place, 'A document');
    }
    if (this.#folders.has(location)) throw nameTaken(location, 'A folder');
  }
}

/** The reason why a file cannot be created, or undefined. */
function obstacleTo(context: WriteContext, accepted: AcceptedFiles, { location }: ImportedFile): string | undefined {
  try {
    accepted.requireFree(location);
    requireFree(context, location);
    requireNoFolderGrant(context, location);
    requireWritable(descend(context.transaction.tables, location).folder.mirror);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/** Of files in a batch that conflict with each other, the first one is accepted. */
function decideImport(context: WriteContext, { files }: Import): DecidedImport {
  const { tables } = context.transaction;
  const unchanged: Location[] = [];
  const skipped: { location: Location; reason: string }[] = [];
  const accepted = new AcceptedFiles();
  for (const file of files) {
    const { location, content } = file;
    // Each file is checked alone, regardless of the batch's folder: even "already there" would reveal it. `perform`
    // allows or refuses a whole request, so it cannot do this check. A batch imports the allowed files and names the
    // rest.
    if (!roleContains(context.view.roleAt(location), 'editor')) {
      skipped.push({ location, reason: notFound().message });
      continue;
    }
    const present = accepted.at(location)?.content ?? findDocument(tables, location)?.row.current;
    if (present?.sha256 === content.sha256) {
      unchanged.push(location);
      continue;
    }
    const obstacle = obstacleTo(context, accepted, file);
    if (obstacle === undefined) accepted.add(file);
    else skipped.push({ location, reason: obstacle });
  }
  return { accepted: accepted.list, unchanged, skipped };
}

/** Imports many documents by one commit. @throws Refusal INVALID_REQUEST `storage_quota` for the whole batch */
export function applyImport(context: WriteContext, change: Import): ImportResult {
  const { accepted, unchanged, skipped } = decideImport(context, change);
  if (accepted.length === 0) return { created: [], unchanged, skipped, versionId: null };
  const { versionId, written } = runAtOnce(
    recordEvent(context, {
      event: { type: 'import', mediaTypes: mediaTypesOf(accepted) },
      files: accepted.map((file) => ({ ...file, prepared: file.content })),
      message: change.message,
      originalAuthor: change.originalAuthor,
    }),
  );
  noteSearch(context, versionId, ...runAtOnce(noteWritten(context, written)));
  return { created: accepted.map(({ location }) => location), unchanged, skipped, versionId };
}
