import { AcceptedFiles, type WantedFile } from '../../changes/accepted-files.js';
import { noteSearch, noteWritten } from '../../changes/index-changes.js';
import { requireFree, requireNoFolderGrant, requireWritable, type Standing } from '../../changes/location-guards.js';
import { requirePortable } from '../../changes/portable-names.js';
import type { PreparedContent } from '../../changes/prepare-content.js';
import { mediaTypesOf, recordEvent } from '../../changes/record-event.js';
import type { WriteContext } from '../../changes/write-context.js';
import { ancestorsOf, nameOf, requireNewLocation, rootLocation, type Location } from '../../domain/location.js';
import type { OriginalAuthor } from '../../domain/original-author.js';
import { conflict, notFound, Refusal } from '../../domain/refusal.js';
import { roleContains } from '../../domain/role.js';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { descentAbove, findDocument } from '../../view/locate.js';
import { guessMediaType, prepareSource, type ContentSource } from '../documents/content.js';
import { documentsExtent } from '../note-extent.js';
import type { WriteOperation } from '../operation.js';

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

/** @throws Refusal INVALID_REQUEST `storage_quota` for the whole batch */
function applyImport(
  context: WriteContext,
  { files, message, originalAuthor }: ImportInput,
  prepared: readonly PreparedContent[],
): ImportResult {
  const wanted = files.flatMap(({ location }, index) => {
    const content = prepared[index];
    if (content === undefined) return [];
    return [{ location, content, mediaType: guessMediaType(nameOf(location), content), sha256: content.sha256 }];
  });
  const { accepted, unchanged, skipped } = decideImport(context, new AcceptedFiles(), wanted);
  if (accepted.length === 0) return { created: [], unchanged, skipped, versionId: null };
  const { versionId, written } = runAtOnce(
    recordEvent(context, {
      event: { type: 'import', mediaTypes: mediaTypesOf(accepted) },
      files: accepted.map((file) => ({ ...file, prepared: file.content })),
      message,
      originalAuthor,
    }),
  );
  noteSearch(context, versionId, ...runAtOnce(noteWritten(context, written)));
  return { created: accepted.map(({ location }) => location), unchanged, skipped, versionId };
}

/**
 * Imports a batch of documents by one commit. Documents already there with the same bytes are left as they are. Editor.
 */
export const importDocuments: WriteOperation<ImportInput, ImportResult, readonly PreparedContent[]> = {
  kind: 'write',
  name: 'document.import',
  needs: ({ into }) => [{ role: 'editor', location: into }],
  note: ({ into, files }) => ({ target: into, detail: { files: files.length } }),
  async prepare(context, { files }) {
    for (const { location } of files) requireNewLocation(location);
    const outcomes = await Promise.allSettled(files.map((file) => prepareSource(context, file.content)));
    // No content of the request is still being stored when it is refused.
    return outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    });
  },
  run(context, input, prepared) {
    requireNoDocumentAt(context, input.into);
    return applyImport(context, input, prepared);
  },
  extentOf: ({ transaction: { tables } }, _, { created }) => documentsExtent(tables, created),
  noteResult: (result) => ({
    ...(result.versionId === null ? {} : { version: result.versionId }),
    detail: { created: result.created.length, unchanged: result.unchanged.length, skipped: result.skipped.length },
  }),
};
