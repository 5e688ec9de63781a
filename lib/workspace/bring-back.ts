import { nameOf, parentOf, type Location } from '../domain/location.js';
import type { VersionOperation } from '../domain/history.js';
import type { SearchNote } from './search-keeper.js';
import { placeOf } from './occupy.js';
import type { PathEdit, Pen } from './pen.js';
import type { Returning } from './plan-return.js';
import { recordVersion } from './record-version.js';

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

/** Lets the text index know what the document holds now. */
export function noteReturn({ turn }: Pen, { number, location, content }: Returning): SearchNote {
  const { blobOid, size, kind } = content;
  const labels = turn.tables.labels.of(number);
  return { type: 'upsert', document: { number, location, blobOid, size, kind, labels } };
}

/**
 * Makes a deleted document live again with a new version of itself.
 * @param folders numbers of folders by location, which several that come back together share: each is looked up once
 */
export function bringBack(
  pen: Pen,
  returning: Returning,
  versionId: string,
  operation: VersionOperation,
  folders: Map<Location, number>,
): void {
  const { tables } = pen.turn;
  const { number, location, content } = returning;
  const parent = parentOf(location);
  const folder = folders.get(parent) ?? placeOf(tables, location).folder.row.number;
  folders.set(parent, folder);
  const sequence = returning.sequence + 1;
  recordVersion(pen, {
    document: number,
    sequence,
    id: versionId,
    content,
    mediaType: content.mediaType,
    location,
    operation,
    message: null,
  });
  tables.documents.markLive(number, folder, nameOf(location), sequence);
}
