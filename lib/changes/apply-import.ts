import type { Change, ImportedFile } from '../domain/change.js';
import type { Location } from '../domain/location.js';
import { notFound, Refusal } from '../domain/refusal.js';
import { roleContains } from '../domain/role.js';
import { descend, findDocument } from '../view/locate.js';
import { noteSearch } from './index-changes.js';
import { requireFree, requireNoFolderGrant, requireWritable } from './location-guards.js';
import { momentOf, writeCommit, type WriteContext } from './write-context.js';
import { addContent, recordVersion } from './record-version.js';
import { placeOf } from '../history/folder-rows.js';
import { makeDocumentId } from '../history/document-id.js';

/** What became of each file of a batch. */
export interface ImportResult {
  readonly created: readonly Location[];
  /** There already with the same bytes: what makes an import resumable. */
  readonly unchanged: readonly Location[];
  /** Left alone, with the reason in words. An import never overwrites. */
  readonly skipped: readonly { readonly location: Location; readonly reason: string }[];
  /** The commit, or null when there was nothing to do. */
  readonly versionId: string | null;
}

function obstacleTo(context: WriteContext, file: ImportedFile): string | undefined {
  try {
    requireFree(context, file.location);
    requireNoFolderGrant(context, file.location);
    requireWritable(descend(context.transaction.tables, file.location).folder.mirror);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

/**
 * Brings in many documents by one commit. Files that stand in each other's way within the batch are told apart by
 * order: the first one wins.
 * @throws Refusal INVALID_REQUEST `storage_quota` for the whole batch
 */
export function applyImport(context: WriteContext, change: Extract<Change, { type: 'import' }>): ImportResult {
  const { tables, now } = context.transaction;
  const unchanged: Location[] = [];
  const skipped: { location: Location; reason: string }[] = [];
  const accepted: { file: ImportedFile; number: number }[] = [];
  for (const file of change.files) {
    // Each file by itself, whatever the batch may be called to go below: even "there already" would tell. The door
    // lets a whole request pass or none of it, so it cannot ask this: a batch brings in what it may and names the rest.
    if (!roleContains(context.view.roleAt(file.location), 'editor')) {
      skipped.push({ location: file.location, reason: notFound().message });
      continue;
    }
    const present = findDocument(tables, file.location);
    if (present?.row.current.sha256 === file.content.sha256) {
      unchanged.push(file.location);
      continue;
    }
    const obstacle = obstacleTo(context, file);
    if (obstacle !== undefined) {
      skipped.push({ location: file.location, reason: obstacle });
      continue;
    }
    addContent(context, file.content);
    const { folder, name } = placeOf(tables, file.location);
    // The id needs the commit, and the commit all files: a name nobody can have holds the row's place until then.
    const number = tables.documents.insert(`importing ${file.location}`, folder.row.number, name, now);
    // Not visible to findDocument without a version: the row gets a provisional one at once.
    recordVersion(context, { ...versionOf(file, number, change.message), id: provisionalId });
    accepted.push({ file, number });
  }
  if (accepted.length === 0) return { created: [], unchanged, skipped, versionId: null };
  const versionId = writeCommit(
    context,
    accepted.map(({ file }) => ({ location: file.location, entry: { mode: '100644', oid: file.content.blobOid } })),
    {
      operation: 'import',
      subject: `Import ${accepted.length} ${accepted.length === 1 ? 'document' : 'documents'}`,
      message: change.message,
      trailers: describeMediaTypes(accepted.map(({ file }) => file)),
    },
  );
  for (const { file, number } of accepted) {
    tables.documents.setId(number, makeDocumentId(versionId, file.location));
    tables.versions.setFirstId(number, versionId, momentOf(context));
  }
  const notes = accepted.map(({ file: { location, content }, number }) => {
    const { blobOid, size, kind } = content;
    return { type: 'upsert', document: { number, location, blobOid, size, kind, labels: [] } } as const;
  });
  noteSearch(context, versionId, ...notes);
  return { created: accepted.map(({ file }) => file.location), unchanged, skipped, versionId };
}

/** The most frequent media type once for all, and each other one with the document that has it, a tab between them. */
function describeMediaTypes(files: readonly ImportedFile[]): (readonly [string, string])[] {
  const counts = new Map<string, number>();
  for (const { mediaType } of files) counts.set(mediaType, (counts.get(mediaType) ?? 0) + 1);
  const [usual = ''] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const others = files.filter(({ mediaType }) => mediaType !== usual);
  return [
    ['Media-Type', usual],
    ...others.map(({ mediaType, location }) => ['Media-Type', `${mediaType}\t${location}`] as const),
  ];
}

const provisionalId = '0'.repeat(40);

function versionOf(file: ImportedFile, document: number, message: string | null) {
  return {
    document,
    sequence: 1,
    content: file.content,
    mediaType: file.mediaType,
    location: file.location,
    operation: 'import' as const,
    message,
  };
}
