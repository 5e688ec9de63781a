import { AcceptedFiles, type WantedFile } from '../../changes/accepted-files.js';
import { noteAll, noteWritten } from '../../changes/index-changes.js';
import {
  noneLeaving,
  requireFree,
  requireNoFolderGrant,
  requireWritable,
  type Standing,
} from '../../changes/location-guards.js';
import { requirePortable } from '../../changes/portable-names.js';
import type { PreparedContent } from '../../changes/prepare-content.js';
import { mediaTypesOf, recordEvent } from '../../changes/record-event.js';
import type { WriteContext } from '../../changes/write-context.js';
import {
  ancestorsOf,
  nameOf,
  parentOf,
  requireNewLocation,
  rootLocation,
  type Location,
} from '../../domain/location.js';
import type { OriginalAuthor } from '../../domain/original-author.js';
import { conflict, notFound, Refusal } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { Rests } from '../../scheduling/rests.js';
import { rootFolderNumber } from '../../sidecar/tables/folder-table.js';
import type { Tables } from '../../sidecar/tables.js';
import { findDocument, walkPath, type PathStep } from '../../view/locate.js';
import { guessMediaType, prepareSource, type ContentSource } from '../documents/content.js';
import type { LongWriteOperation } from '../operation.js';

export interface ImportInput {
  /** The folder for everything. Its editor may import. */
  readonly into: Location;
  readonly files: readonly { readonly location: Location; readonly content: ContentSource }[];
  readonly message: string | null;
  /** Who wrote them, according to the source. No face but the operator's command sets it. */
  readonly originalAuthor?: OriginalAuthor | undefined;
}

/** The outcome of each file in a batch. */
export interface ImportResult {
  readonly created: readonly Location[];
  /** The numbers of these documents, for the audit log. */
  readonly numbers: readonly number[];
  /** Already there with the same bytes: an import can be resumed. */
  readonly unchanged: readonly Location[];
  /** Left alone, with the reason in words. An import never overwrites. */
  readonly skipped: readonly { readonly location: Location; readonly reason: string }[];
  /** The commit, or null when there was nothing to do. */
  readonly versionId: string | null;
}

/** The outcome of each file, after all checks. */
interface DecidedImport<File> extends Pick<ImportResult, 'unchanged' | 'skipped'> {
  readonly accepted: readonly File[];
}

/** One refusal for all files, because none of them could go below a document. @throws Refusal CONFLICT `name_taken` */
export function requireNoDocumentAt(context: Standing, into: Location): void {
  const inTheWay = [...ancestorsOf(into), into].find(
    (place) => place !== rootLocation && findDocument(context.transaction.tables, place) !== undefined,
  );
  if (inTheWay === undefined) return;
  if (context.view.document(inTheWay) === undefined) throw notFound();
  throw conflict('name_taken', `"${inTheWay}" is a document. Import into a folder.`, { location: inTheWay });
}

/** What the files in a folder share. A batch has many files in few folders, so each folder is looked up once. */
interface KnownFolder {
  /** What the names of the folder's path stand for. */
  readonly steps: readonly PathStep[];
  /** Undefined where it is not there yet. */
  readonly number: number | undefined;
  /** Id of the connector that mirrors into it. */
  readonly mirror: string | null;
  /** Whether there are folder grants on it or below it. */
  readonly hasGrants: boolean;
}

/** A look at the place of a file, by which nothing has been decided. */
interface SeenPlace {
  readonly folder: KnownFolder;
  readonly steps: readonly PathStep[];
  /** The SHA-256 of the document there. */
  readonly sha256: string | undefined;
}

/** Looks at the places of a batch, while no row changes. */
class Places {
  readonly #tables: Tables;
  readonly #folders = new Map<Location, KnownFolder>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  look(location: Location): SeenPlace {
    const folder = this.#folderOf(parentOf(location));
    const name = nameOf(location);
    const { documents, folders } = this.#tables;
    const row = folder.number === undefined ? undefined : documents.at(folder.number, name);
    const child = folder.number === undefined ? undefined : folders.child(folder.number, name);
    return { folder, steps: [...folder.steps, { documentId: row?.id, child }], sha256: row?.current.sha256 };
  }

  #folderOf(location: Location): KnownFolder {
    const known = this.#folders.get(location);
    if (known !== undefined) return known;
    const steps = walkPath(this.#tables, location);
    const found: KnownFolder = {
      steps,
      number: location === rootLocation ? rootFolderNumber : steps.at(-1)?.child?.number,
      mirror: steps.findLast(({ child }) => (child?.mirror ?? null) !== null)?.child?.mirror ?? null,
      hasGrants: this.#tables.grants.atOrBelow(location).length > 0,
    };
    this.#folders.set(location, found);
    return found;
  }
}

/** The reason why a file cannot be created, or undefined. */
function obstacleTo(
  standing: Standing,
  accepted: AcceptedFiles,
  location: Location,
  { folder, steps }: SeenPlace,
): string | undefined {
  try {
    accepted.requireFree(location);
    requireFree(standing, location, noneLeaving, steps);
    requirePortable(standing, location, { accepted, steps });
    if (folder.hasGrants) requireNoFolderGrant(standing, location);
    requireWritable(standing.transaction.tables, folder.mirror);
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
export function* decideImport<File extends WantedFile>(
  standing: Standing,
  before: AcceptedFiles,
  files: readonly File[],
): Steps<DecidedImport<File>> {
  const places = new Places(standing.transaction.tables);
  const accepted: File[] = [];
  const unchanged: Location[] = [];
  const skipped: { location: Location; reason: string }[] = [];
  for (const file of files) {
    yield;
    const { location, sha256 } = file;
    // Each file is checked alone, regardless of the batch's folder: even "already there" would reveal it. `perform`
    // allows or refuses a whole request, so it cannot do this check. A batch imports the allowed files and names the
    // rest.
    if (!roleContains(standing.view.roleAt(location), 'editor')) {
      skipped.push({ location, reason: notFound().message });
      continue;
    }
    const place = places.look(location);
    if ((before.at(location) ?? place.sha256) === sha256) {
      unchanged.push(location);
      continue;
    }
    const obstacle = obstacleTo(standing, before, location, place);
    if (obstacle === undefined) {
      before.add(file);
      accepted.push(file);
    } else skipped.push({ location, reason: obstacle });
  }
  return { accepted, unchanged, skipped };
}

/** @throws Refusal INVALID_REQUEST `storage_quota` for the whole batch */
function* applyImport(
  context: WriteContext,
  { files, message, originalAuthor }: ImportInput,
  prepared: readonly PreparedContent[],
): Steps<ImportResult> {
  const wanted = files.flatMap(({ location }, index) => {
    const content = prepared[index];
    if (content === undefined) return [];
    return [{ location, content, mediaType: guessMediaType(nameOf(location), content), sha256: content.sha256 }];
  });
  const { accepted, unchanged, skipped } = yield* decideImport(context, new AcceptedFiles(), wanted);
  if (accepted.length === 0) return { created: [], numbers: [], unchanged, skipped, versionId: null };
  const { versionId, written } = yield* recordEvent(context, {
    event: { type: 'import', mediaTypes: mediaTypesOf(accepted) },
    files: accepted.map((file) => ({ ...file, prepared: file.content })),
    message,
    originalAuthor,
  });
  noteAll(context, versionId, yield* noteWritten(context, written));
  const numbers = written.map(({ document }) => document);
  return { created: accepted.map(({ location }) => location), numbers, unchanged, skipped, versionId };
}

/**
 * Imports a batch of documents by one commit. Documents already there with the same bytes are left as they are. Editor.
 */
export const importDocuments: LongWriteOperation<ImportInput, ImportResult, readonly PreparedContent[]> = {
  kind: 'write',
  name: 'document.import',
  isLong: true,
  needs: ({ into }) => [{ role: 'editor', location: into }],
  note: ({ into, files }) => ({ target: into, detail: { files: files.length } }),
  async prepare(context, { files }) {
    for (const { location } of files) requireNewLocation(location);
    const preparing: Promise<PreparedContent>[] = [];
    const rests = new Rests();
    for (const { content } of files) {
      const one = prepareSource(context, content);
      // It is asked for its outcome when all have begun.
      one.catch(() => undefined);
      preparing.push(one);
      if (rests.isDue) await rests.take();
    }
    const outcomes = await Promise.allSettled(preparing);
    // No content of the request is still being stored when it is refused.
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  },
  *run(context, input, prepared) {
    requireNoDocumentAt(context, input.into);
    return yield* applyImport(context, input, prepared);
  },
  extentOf: (_, __, { numbers }) => ({ touched: numbers }),
  noteResult: (result) => ({
    ...(result.versionId === null ? {} : { version: result.versionId }),
    detail: { created: result.created.length, unchanged: result.unchanged.length, skipped: result.skipped.length },
  }),
};
