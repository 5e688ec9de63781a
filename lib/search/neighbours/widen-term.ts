import type { WidenedTerm } from '../ranking/rank-documents.js';
import { NeighbourTable } from './neighbour-table.js';
import { packedTable } from './packed-table.js';

/** What a neighbour weighs against the word itself, times the square of how near it is. */
const neighbourWeight = 0.2;

let table: NeighbourTable | undefined;

/** Terms near in meaning to a stem, with their weights; for `SearchOptions.neighboursOf`. */
export function widenTerm(stem: string): WidenedTerm[] {
  table ??= new NeighbourTable(packedTable);
  return table
    .neighboursOf(stem)
    .map(({ stem: near, cosine }) => ({ term: { type: 'exact', term: near }, weight: neighbourWeight * cosine ** 2 }));
}
