import { formatTime } from '../domain/clock.js';
import { formatEtag } from '../domain/etag.js';
import type { FoundText } from '../operations/documents/search-documents.js';

/** The description's `SearchHit`. */
export function toHitRecord({ document, snippet, highlights, isMade, place }: FoundText) {
  const { location, name, current, labels } = document;
  return {
    location,
    name,
    kind: current.kind,
    media_type: current.mediaType,
    etag: formatEtag(current.id),
    updated_at: formatTime(current.at),
    labels,
    snippet,
    highlights,
    ...(isMade === true ? { extracted: true } : {}),
    ...(place ? { line: place.line } : {}),
    ...(place?.section === undefined ? {} : { section: place.section }),
  };
}
