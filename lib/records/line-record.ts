import { formatEtag } from '../domain/etag.js';
import type { LineItem } from '../operations/documents/search-lines.js';

/** The description's `FoundLine`, or `PassedDocument` in its place. */
export function toLineRecord({ document: { id, location, current }, found }: LineItem) {
  const document = { id, location, etag: formatEtag(current.id) };
  return found === 'changed' ? { document, changed: true } : { document, ...found };
}
