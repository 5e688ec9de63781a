import { collectStems, toUnit, type PublishedVectors } from './collect-stems.js';
import type { Neighbour, NeighbourLists } from './neighbour-table.js';

const maxNeighbours = 5;
const minCosine = 0.6;

/**
 * For each stem its nearest others, by the cosine of their most frequent words. Compares all with all: minutes.
 */
export function findNeighbours({ dimensions, words, vectors }: PublishedVectors): NeighbourLists {
  const known = collectStems(words);
  const units = new Float32Array(known.length * dimensions);
  known.forEach(({ word }, place) => {
    units.set(toUnit(vectors[word] ?? [], dimensions), place * dimensions);
  });
  const lists = known.map((): Neighbour[] => []);
  for (let one = 0; one < known.length; one += 1) {
    for (let other = one + 1; other < known.length; other += 1) {
      const cosine = dot(units, one * dimensions, other * dimensions, dimensions);
      if (cosine < minCosine) continue;
      keepNearest(lists[one] as Neighbour[], { place: other, cosine });
      keepNearest(lists[other] as Neighbour[], { place: one, cosine });
    }
  }
  return { stems: known.map(({ stem }) => stem), lists };
}

function keepNearest(list: Neighbour[], neighbour: Neighbour): void {
  list.push(neighbour);
  list.sort((a, b) => b.cosine - a.cosine || a.place - b.place);
  if (list.length > maxNeighbours) list.pop();
}

function dot(units: Float32Array, one: number, other: number, dimensions: number): number {
  let sum = 0;
  for (let index = 0; index < dimensions; index += 1) sum += (units[one + index] ?? 0) * (units[other + index] ?? 0);
  return sum;
}
