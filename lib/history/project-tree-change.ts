import { nameOf, parentOf, type Location } from '../domain/location.js';
import { workInParts, type Steps } from '../scheduling/in-steps.js';
import type { Tables } from '../sidecar/tables.js';
import { findDocument } from '../view/locate.js';
import { makeDocumentId } from './document-id.js';
import { InvalidEvent, type MovedDocument } from './event.js';
import { dropEmptyFolders } from './folder-rows.js';
import { addVersion, advance, deletionOf, findLive, folderOf, type EventFile, type Work } from './projection.js';

/**
 * What a mirror or a push did, by its tree. The deletions come first, then the moves, then the versions. A document can take the place of one that moved away, and
 * two can change places. So the moving documents first wait in one folder, under names that no document has.
 * @param waiting number of that folder, which stays
 */
export function* projectTreeChange(
  work: Work,
  moved: readonly MovedDocument[],
  waiting: number,
  files: readonly EventFile[],
  gone: readonly Location[],
): Steps<void> {
  const { tables, recorded, moment } = work;
  const left = new Set<Location>();
  yield* workInParts(gone, (some) => {
    const documents = some.map((location) => ({ number: findThere(tables, location), location }));
    tables.deletions.deleteAll(documents, null, deletionOf(work));
    for (const { location } of documents) left.add(parentOf(location));
  });
  for (const location of gone) work.removed.push(location);
  const moving: { readonly number: number; readonly from: Location; readonly to: Location }[] = [];
  yield* workInParts(moved, (some) => {
    const rows = some.map(({ documentId, from, to }) => ({ ...findLive(work, documentId, from), from, to }));
    tables.documents.placeAll(rows.map(({ number }) => ({ number, folder: waiting, name: `/${number}` })));
    for (const { number, from, to } of rows) moving.push({ number, from, to });
    for (const { from } of some) left.add(parentOf(from));
  });
  for (const folder of left) {
    dropEmptyFolders(tables, folder);
    yield;
  }
  const { commit, author, at } = recorded;
  yield* workInParts(moving, (some) => {
    const placed = some.map(({ number, to }) => ({
      number,
      folder: folderOf(work, parentOf(to)).row.number,
      name: nameOf(to),
    }));
    tables.documents.placeAll(placed);
    const relocations = some.map(({ number, from, to }) => {
      const operation = parentOf(from) === parentOf(to) ? 'rename' : 'move';
      return { operation, document: number, from, to } as const;
    });
    tables.relocations.insertAll(relocations, { commit, author: author.id, at, moment });
  });
  for (const file of files) {
    writeFile(work, file);
    yield;
  }
}

/** @throws InvalidEvent when no document lives there */
function findThere(tables: Tables, location: Location): number {
  const found = findDocument(tables, location);
  if (found === undefined) throw new InvalidEvent(`there is no document "${location}" before it`);
  return found.row.number;
}

/** A version of the document there, or a new document. */
function writeFile(work: Work, file: EventFile): void {
  const { tables, recorded } = work;
  const folder = folderOf(work, parentOf(file.location));
  const name = nameOf(file.location);
  const row = tables.documents.at(folder.row.number, name);
  if (row !== undefined) {
    advance(work, row.id, { number: row.number, sequence: row.current.sequence, location: file.location }, file);
    return;
  }
  const id = makeDocumentId(recorded.versionId, file.location);
  const number = tables.documents.insert(id, folder.row.number, name, recorded.at);
  work.written.push(addVersion(work, { number, id, sequence: 1 }, file, folder));
}
