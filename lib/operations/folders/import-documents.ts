import type { ImportedFile } from '../../changes/apply-import.js';
import type { PreparedContent } from '../../changes/prepare-content.js';
import { ancestorsOf, nameOf, requireNewLocation, rootLocation, type Location } from '../../domain/location.js';
import type { OriginalAuthor } from '../../domain/original-author.js';
import { conflict, notFound } from '../../domain/refusal.js';
import type { ImportResult } from '../../changes/apply-import.js';
import { applyImport } from '../../changes/apply-import.js';
import type { Standing } from '../../changes/location-guards.js';
import { findDocument } from '../../view/locate.js';
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

/** One refusal for all files, because none of them could go below a document. @throws Refusal CONFLICT `name_taken` */
export function requireNoDocumentAt(context: Standing, into: Location): void {
  const inTheWay = [...ancestorsOf(into), into].find(
    (place) => place !== rootLocation && findDocument(context.transaction.tables, place) !== undefined,
  );
  if (inTheWay === undefined) return;
  if (context.view.document(inTheWay) === undefined) throw notFound();
  throw conflict('name_taken', `"${inTheWay}" is a document. Import into a folder.`, { location: inTheWay });
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
  run(context, { into, files, message, originalAuthor }, prepared) {
    requireNoDocumentAt(context, into);
    const imported: ImportedFile[] = [];
    for (const [index, { location }] of files.entries()) {
      const content = prepared[index];
      if (content !== undefined) {
        imported.push({ location, content, mediaType: guessMediaType(nameOf(location), content) });
      }
    }
    return applyImport(context, { files: imported, message, originalAuthor });
  },
  extentOf: ({ transaction: { tables } }, _, { created }) => documentsExtent(tables, created),
  noteResult: (result) => ({
    ...(result.versionId === null ? {} : { version: result.versionId }),
    detail: { created: result.created.length, unchanged: result.unchanged.length, skipped: result.skipped.length },
  }),
};
