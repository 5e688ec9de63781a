import type { Folder } from '../domain/document.js';
import { joinLocation, keepName, type Location } from '../domain/location.js';
import { makePackable } from '../git/objects/objects.js';
import { descend, toFolder } from '../view/locate.js';
import { ensureFolder, requireFree, requireWritable } from './location-guards.js';
import { writeCommit, type Pen } from './write-context.js';

/** The empty file that holds the place of a folder. */
export const keepFile = makePackable('blob', Buffer.alloc(0));

/** Makes an empty folder that stays: an empty file holds its place in git. @throws CONFLICT `name_taken`, NOT_FOUND */
export function applyCreateFolder(pen: Pen, location: Location): Folder {
  const { turn } = pen;
  requireFree(pen, location);
  requireWritable(descend(turn.tables, location).folder.mirror);
  turn.addObject(keepFile);
  const keep = joinLocation(location, keepName);
  writeCommit(pen, [{ location: keep, entry: { mode: '100644', oid: keepFile.oid } }], {
    operation: 'create-folder',
    subject: `Create folder ${location}`,
    message: null,
    trailers: [['Folder', location]],
  });
  const folder = ensureFolder(turn.tables, location);
  turn.tables.folders.setKept(folder.row.number, true);
  return toFolder(location, folder.mirror);
}
