import type { Location } from '../../lib/domain/location.js';
import type { SearchIndex } from '../../lib/search/search-index.js';

/** A fixed line of commits, so that any of them can be built again. */
export function applyCommit(index: SearchIndex, number: number): void {
  const location = placeOf(number);
  const text = `ladder ${'wall '.repeat(number % 11)} stair${number % 5}`;
  const analysis = index.analyze({ location, text, kind: 'text', labels: [] });
  index.apply({
    commit: String(number),
    removals: number % 3 === 0 ? [placeOf(number - 1)] : [],
    renames: number % 40 === 0 ? [{ from: `in-${number % 7}` as Location, to: `moved-${number}` as Location }] : [],
    upserts: [{ analysis, keys: [number] }],
  });
}

function placeOf(number: number): Location {
  return `in-${number % 7}/${number}.md` as Location;
}
