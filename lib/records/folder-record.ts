import type { Folder } from '../domain/document.js';
import { toSourceRecord } from './document-record.js';

/** The description's `Folder`. */
export function toFolderRecord({ location, name, readOnly, source }: Folder) {
  return { location, name, read_only: readOnly, source: toSourceRecord(source) };
}
