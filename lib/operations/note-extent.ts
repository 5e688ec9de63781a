import type { AuditExtent } from '../domain/audit-record.js';
import { isWithin, rootLocation, type Location } from '../domain/location.js';
import { findDocumentsById } from '../view/locate.js';
import type { View } from '../view/view.js';

/** What a caller may read at or below a folder: granted folders with everything in them, and granted documents. */
export function readableExtent({ reach, tables }: Pick<View, 'reach' | 'tables'>, folder = rootLocation): AuditExtent {
  const granted = reach.holds('reader', folder) ? [folder] : reach.foldersBelow(folder);
  const folders = granted.filter((each) => !granted.some((other) => other !== each && isWithin(other, each)));
  const documents = findDocumentsById(tables, reach.documentIds).flatMap(({ row, location }) => {
    if (!isWithin(folder, location) || folders.some((each) => isWithin(each, location))) return [];
    return [row.number];
  });
  return { places: { folders, documents } };
}

/** A folder with everything in it. */
export function folderExtent(folder: Location): AuditExtent {
  return { places: { folders: [folder], documents: [] } };
}
