import { nameOf, parentOf, type Location } from '../domain/location.js';
import type { VersionOperation } from '../domain/history.js';
import { inParts, type Steps } from '../scheduling/in-steps.js';
import type { IndexEvent } from '../indexing/index-event.js';
import { momentOf, type PathEdit, type WriteContext } from './write-context.js';
import type { Returning } from './undelete-plan.js';
import { ensureFolder, rowsInStep } from '../history/folder-rows.js';

/** The edit of paths that puts a returning document into the tree. */
export function editFor({ location, content }: Returning): PathEdit {
  return { location, entry: { mode: '100644', oid: content.blobOid } };
}

/** What a commit says of a document to which it gives a version, where it does so for several. */
export function trailerFor({
  id,
  location,
  content,
}: Pick<Returning, 'id' | 'location' | 'content'>): [string, string] {
  return ['Restored', `${id}\t${content.mediaType}\t${location}`];
}

/** Lets the text index know what the documents hold now. */
export function* noteReturns({ transaction }: WriteContext, returning: readonly Returning[]): Steps<IndexEvent[]> {
  const notes: IndexEvent[] = [];
  for (const some of inParts(returning, rowsInStep)) {
    const labels = transaction.tables.labels.ofThese(some.map(({ number }) => number));
    for (const { number, location, content } of some) {
      const { blobOid, size, kind } = content;
      const document = { number, location, blobOid, size, kind, labels: labels.get(number) ?? [] };
      notes.push({ type: 'upsert', document });
    }
    yield;
  }
  return notes;
}

/** Makes deleted documents live again, each with a new version of itself, with one look for each folder. */
export function* bringBack(
  context: WriteContext,
  returning: readonly Returning[],
  versionId: string,
  operation: VersionOperation,
): Steps<void> {
  const { tables, now } = context.transaction;
  const made = { id: versionId, author: context.author.id, at: now, operation, moment: momentOf(context) };
  // In the order in which the rows and their indexes lie: that takes half as long as the order of the locations.
  const ordered = returning.toSorted((one, other) => one.number - other.number);
  const folders = new Map<Location, number>();
  const folderOf = (parent: Location): number => {
    const known = folders.get(parent) ?? ensureFolder(tables, parent).row.number;
    folders.set(parent, known);
    return known;
  };
  for (const some of inParts(ordered, rowsInStep)) {
    const versions = some.map(({ number, sequence, content, location }) => ({
      document: number,
      sequence: sequence + 1,
      like: content.sequence,
      location,
    }));
    if (tables.versions.insertAnew(versions, made) !== some.length) {
      throw new Error('A deleted document lost the version that it was to come back with.');
    }
    tables.documents.markAllLive(
      some.map(({ number, sequence, location }) => ({
        number,
        folder: folderOf(parentOf(location)),
        name: nameOf(location),
        sequence: sequence + 1,
      })),
    );
    yield;
  }
}
