import type { Folder } from '../domain/document.js';

/** The description's `Folder`. */
export function presentFolder({ location, name, readOnly }: Folder): object {
  return { location, name, read_only: readOnly, source: null };
}
