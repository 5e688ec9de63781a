import type { Location } from '../domain/location.js';
import { placeSpans } from '../history/place-spans.js';
import type { Tables } from '../sidecar/tables.js';

/** Every place that a document ever had: those in its own rows, and those given to it by folders above it. */
export function gatherPlaces(tables: Tables, document: number): Location[] {
  const places = new Set<Location>();
  for (const { from, to } of tables.eraseRows.eventsOf(document)) {
    places.add(from);
    if (to !== null) places.add(to);
  }
  for (const { place } of placeSpans(tables, document)) places.add(place);
  return [...places];
}
