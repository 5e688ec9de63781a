import type { CutTerm } from '../segments/cut-postings.js';
import { meaningWeight } from '../meaning/measure-nearness.js';
import { inverseFrequency, Weigher, type Statistics } from './weigh.js';

/** A term of a query, cut to the reach, that adds to scores. */
export interface SoughtTerm extends CutTerm {
  readonly weight: number;
  /** How often a long question says it. */
  readonly occurrences: number;
  readonly fields: number;
  readonly isRequired: boolean;
}

/** A query's terms, cut to the reach. */
export interface Sought {
  /** The terms that add to scores. */
  readonly scored: readonly SoughtTerm[];
  readonly filters: readonly CutTerm[];
  readonly prohibited: readonly { readonly terms: readonly CutTerm[]; readonly fields: number }[];
}

/** Sums of the same numbers in another order differ by less. */
export const almostOne = 1 + 1e-9;

/** How scores are added up. */
export interface Plan {
  /** In the order of adding, each with the score of a full match. */
  readonly terms: readonly SoughtTerm[];
  readonly weigher: Weigher;
  readonly meaning: Int8Array | undefined;
  /** The score of the nearest meaning: a part of the highest score of all words. */
  readonly meaningWorth: number;
  /** The most that meaning adds to a document's score. */
  readonly maxMeaning: number;
}

/**
 * The highest scores of each of a query's terms, and of its meaning. The statistics alone decide, so that every page
 * adds alike.
 */
export function makePlan({ scored }: Sought, statistics: Statistics, meaning: Int8Array | undefined): Plan {
  const terms = scored.map((term, index) => {
    const frequency = statistics.frequencies[index] ?? 0;
    return { ...term, frequency, weight: term.weight * inverseFrequency(statistics.entries, frequency) };
  });
  const meaningWorth = meaning === undefined ? 0 : meaningWeight * terms.reduce((sum, { weight }) => sum + weight, 0);
  return {
    terms,
    weigher: new Weigher(statistics),
    meaning,
    meaningWorth,
    maxMeaning: meaningWorth * almostOne,
  };
}
