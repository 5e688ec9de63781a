import type { CutTerm } from '../segments/cut-postings.js';
import { meaningWeight } from '../meaning/measure-nearness.js';
import { inverseFrequency, Weigher, type Statistics } from './weigh.js';

/** A term of a query, cut to the reach, that adds to scores. */
export interface SoughtTerm extends CutTerm {
  readonly weight: number;
  readonly fields: number;
  readonly isRequired: boolean;
}

/** A query's terms, cut to the reach. */
export interface Sought {
  /** Those that add to scores; the ones that the query names come first. */
  readonly scored: readonly SoughtTerm[];
  /** How many of them the query names. */
  readonly named: number;
  readonly filters: readonly CutTerm[];
  readonly prohibited: readonly { readonly terms: readonly CutTerm[]; readonly fields: number }[];
}

/** A neighbour is rare when at most one document in so many has it: its postings cost less than looking whether. */
const rareShare = 16;

/** Sums of the same numbers in another order differ by less. */
export const almostOne = 1 + 1e-9;

/** How scores are added up. */
export interface Plan {
  /** In the order in which they are added; those that the query names come first. */
  readonly terms: readonly SoughtTerm[];
  /** Those before this one are named, or rare. */
  readonly rare: number;
  /** No document gets more than this by the terms from here on, and by meaning. */
  readonly maxFrom: readonly number[];
  readonly weigher: Weigher;
  readonly meaning: Int8Array | undefined;
  readonly meaningWorth: number;
}

/** In which order a query's terms are added up, and how much each can be worth. */
export function makePlan({ scored, named }: Sought, statistics: Statistics, meaning: Int8Array | undefined): Plan {
  const weighed = weighTerms(scored, named, statistics);
  /** What the nearest meaning is worth: part of all that words can be. */
  const meaningWorth =
    meaning === undefined ? 0 : meaningWeight * weighed.slice(0, named).reduce((sum, { weight }) => sum + weight, 0);
  const isRare = ({ frequency }: SoughtTerm): boolean => frequency * rareShare <= statistics.documents;
  return {
    terms: weighed,
    rare: weighed.filter((term, index) => index < named || isRare(term)).length,
    maxFrom: sumFrom(weighed, meaningWorth),
    weigher: new Weigher(statistics),
    meaning,
    meaningWorth,
  };
}

function sumFrom(terms: readonly SoughtTerm[], meaningWorth: number): number[] {
  const sums = [meaningWorth];
  for (const { weight } of terms.toReversed()) sums.push((sums.at(-1) ?? 0) + weight);
  return sums.toReversed().map((sum) => sum * almostOne);
}

/**
 * Terms with what a full match of them is worth, in the order in which scores are added up: those that the query
 * names, then their neighbours, rare ones first. The statistics alone decide, so that every page adds alike.
 */
function weighTerms(scored: readonly SoughtTerm[], named: number, statistics: Statistics): SoughtTerm[] {
  const weighed = scored.map((term, index) => {
    const frequency = statistics.frequencies[index] ?? 0;
    return { ...term, frequency, weight: term.weight * inverseFrequency(statistics.documents, frequency) };
  });
  return [...weighed.slice(0, named), ...weighed.slice(named).sort((a, b) => a.frequency - b.frequency)];
}
