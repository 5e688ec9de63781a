import { countedTerms } from '../query/parse-query.js';
import type { Sought } from './plan-bounds.js';
import { inverseFrequency, type Statistics } from './weigh.js';

/** The terms of a long question that count, and whether others were found but left out. */
export interface Rarest {
  readonly sought: Sought;
  /** Their places among the question's terms, in order. */
  readonly places: readonly number[];
  readonly leavesOut: boolean;
}

/**
 * Of a long question, the terms that weigh most: rare in the caller's reach, times how often the question says them. A
 * term without a document there does not count. Among equals, the first in the question counts.
 * @param documents in the reach
 * @param before the statistics of the page before: its choice is kept
 */
export function keepRarest(sought: Sought, documents: number, before: Statistics | undefined): Rarest {
  const found = sought.scored
    .map(({ frequency, occurrences }, place) => ({
      frequency,
      place,
      weight: occurrences * inverseFrequency(documents, frequency),
    }))
    .filter(({ frequency }) => frequency > 0);
  const rarest = found.toSorted((a, b) => b.weight - a.weight || a.place - b.place).slice(0, countedTerms);
  const chosen = before?.rarest ?? {
    // With no term at all, every document would match: one without any document stays.
    places: rarest.length === 0 ? [0] : rarest.map(({ place }) => place).toSorted((a, b) => a - b),
    leavesOut: found.length > rarest.length,
  };
  const scored = chosen.places.flatMap((place) => sought.scored[place] ?? []);
  return { sought: { ...sought, scored }, ...chosen };
}
