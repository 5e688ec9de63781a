import { ancestorsOf, type Location } from '../../domain/location.js';
import { placeSpans, type PlaceSpan } from '../../history/place-spans.js';
import type { Tables } from '../../sidecar/tables.js';

/** An accepted erase. */
export interface NotedErase {
  /** Number of its receipt. */
  readonly erasure: number;
  readonly document: { readonly number: number; readonly id: string };
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Notes for the feed who could read a document before its rows go: for each time, the granted places that held it. Those
 * are texts of grants, so nothing of the document's own names stays. Its id is sealed.
 */
export function noteErasedPlaces(tables: Tables, { erasure, document, at }: NotedErase): void {
  const spans = Array.from(placeSpans(tables, document.number)).toReversed();
  const placesOf = ({ place }: PlaceSpan): Location[] => [...ancestorsOf(place), place];
  const granted = new Set(tables.activities.everGranted([...new Set(spans.flatMap(placesOf))]));
  let last: { since: number; until: number; scopes: Location[] } | undefined;
  const write = (): void => {
    if (last !== undefined) tables.feed.addErased({ erasure, documentId: document.id, at, ...last });
  };
  for (const span of spans) {
    const scopes = placesOf(span).filter((place) => granted.has(place));
    if (last?.until === span.since && last.scopes.join('\n') === scopes.join('\n')) {
      last.until = span.until;
      continue;
    }
    write();
    last = { since: span.since, until: span.until, scopes };
  }
  write();
  tables.activities.coverDocument(document.id);
}
