import type { Folder } from '../domain/document.js';
import { joinLocation, keepName, type Location } from '../domain/location.js';
import { makePackable } from '../git/objects/objects.js';
import { descend, toFolder } from '../view/locate.js';
import { requireFree, requireWritable } from './location-guards.js';
import { writeCommit, type WriteContext } from './write-context.js';
import { ensureFolder } from '../history/folder-rows.js';

/** The empty file that holds the place of a folder. */
export const keepFile = makePackable('blob', Buffer.alloc(0));

/** Makes an empty folder that stays: an empty file holds its place in git. @throws CONFLICT `name_taken`, NOT_FOUND */
export function applyCreateFolder(context: WriteContext, location: Location): Folder {
  const { transaction } = context;
  requireFree(context, location);
  requireWritable(descend(transaction.tables, location).folder.mirror);
  transaction.addObject(keepFile);
  const keep = joinLocation(location, keepName);
  writeCommit(context, [{ location: keep, entry: { mode: '100644', oid: keepFile.oid } }], {
    operation: 'create-folder',
    subject: `Create folder ${location}`,
    message: null,
    trailers: [['Folder', location]],
  });
  const folder = ensureFolder(transaction.tables, location);
  transaction.tables.folders.setKept(folder.row.number, true);
  return toFolder(location, folder.mirror);
}
