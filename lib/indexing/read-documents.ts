import { joinLocation, type Location } from '../domain/location.js';
import type { Tables } from '../sidecar/tables.js';
import { locationOfFolder, type FoundDocument } from '../view/locate.js';
import type { DocumentToIndex } from './index-event.js';

/** The index's data on a live document. */
export function toIndex(tables: Tables, { row, location }: FoundDocument): DocumentToIndex {
  const { blobOid, size, kind, mediaType } = row.current;
  return { number: row.number, location, blobOid, size, kind, mediaType, labels: tables.labels.of(row.number) };
}

/** The same for a row alone. */
export function describeRow(tables: Tables, row: FoundDocument['row']): DocumentToIndex {
  return toIndex(tables, { row, location: locateRow(tables, row), mirror: null });
}

/** Where a live document is. */
export function locateRow(tables: Tables, row: FoundDocument['row']): Location {
  return joinLocation(locationOfFolder(tables, row.folder), row.name);
}
