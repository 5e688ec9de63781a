import type { MediaTypes } from '../history/event.js';
import type { EventFile } from '../history/projection.js';

/** The media types of an event's files: the most frequent one, and the others by location. */
export function mediaTypesOf(files: readonly Pick<EventFile, 'location' | 'mediaType'>[]): MediaTypes {
  const counts = new Map<string, number>();
  for (const { mediaType } of files) counts.set(mediaType, (counts.get(mediaType) ?? 0) + 1);
  const [usual] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const others = files.filter(({ mediaType }) => mediaType !== usual);
  return { usual, others: new Map(others.map(({ location, mediaType }) => [location, mediaType])) };
}
