import { nameOf, parentOf, type Location } from '../domain/location.js';
import type { VersionOperation } from '../domain/history.js';
import type { SearchNote } from './take-notes.js';
import { ensureFolder } from './occupy.js';
import { momentOf, type PathEdit, type Pen } from './pen.js';
import type { Returning } from './plan-return.js';

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
export function noteReturns({ turn }: Pen, returning: readonly Returning[]): SearchNote[] {
  const labels = turn.tables.labels.ofThese(returning.map(({ number }) => number));
  return returning.map(({ number, location, content: { blobOid, size, kind } }) => ({
    type: 'upsert',
    document: { number, location, blobOid, size, kind, labels: labels.get(number) ?? [] },
  }));
}

/**
 * Makes deleted documents live again, each with a new version of itself: in a few statements however many they are, and
 * with one look for each folder.
 */
export function bringBack(
  pen: Pen,
  returning: readonly Returning[],
  versionId: string,
  operation: VersionOperation,
): void {
  const { tables, now } = pen.turn;
  const made = { id: versionId, author: pen.author.id, at: now, operation, moment: momentOf(pen) };
  const versions = returning.map(({ number, sequence, content, location }) => ({
    document: number,
    sequence: sequence + 1,
    like: content.sequence,
    location,
  }));
  if (tables.versions.insertAnew(versions, made) !== returning.length) {
    throw new Error('A deleted document lost the version that it was to come back with.');
  }
  const folders = new Map<Location, number>();
  const folderOf = (parent: Location): number => {
    const known = folders.get(parent) ?? ensureFolder(tables, parent).row.number;
    folders.set(parent, known);
    return known;
  };
  tables.documents.markAllLive(
    returning.map(({ number, sequence, location }) => ({
      number,
      folder: folderOf(parentOf(location)),
      name: nameOf(location),
      sequence: sequence + 1,
    })),
  );
}
