import { collectStems, toUnit, type PublishedVectors } from './collect-stems.js';
import type { VectorTable } from './static-vectors.js';

/** Dimensions that are stored: the words differ most in these. */
const keptDimensions = 64;
/**
 * The frequency above which words weigh less (Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence
 * Embeddings", 2017).
 */
const frequent = 1e-3;
const eulerGamma = 0.5772;
const rounds = 200;
const largest = 127;

/**
 * A row of small whole numbers for each stem, in the order of stems. It is its word's vector, turned to the axes along
 * which words differ most, without the axis common to them all, and shorter for a frequent word.
 */
export function reduceVectors({ dimensions, words, vectors }: PublishedVectors): VectorTable {
  const known = collectStems(words);
  const units = known.map(({ word }) => toUnit(vectors[word] ?? [], dimensions));
  const axes = findAxes(units, dimensions, keptDimensions + 1).slice(1);
  // Word frequencies by Zipf's law.
  const harmonic = Math.log(words.length) + eulerGamma;
  const reduced = new Float64Array(known.length * keptDimensions);
  known.forEach(({ rank }, place) => {
    const weight = frequent / (frequent + 1 / ((rank + 1) * harmonic));
    axes.forEach((axis, column) => {
      reduced[place * keptDimensions + column] = weight * dot(axis, units[place] as Float64Array);
    });
  });
  const most = reduced.reduce((greatest, value) => Math.max(greatest, Math.abs(value)), 0);
  return {
    dimensions: keptDimensions,
    stems: known.map(({ stem }) => stem),
    rows: Int8Array.from(reduced, (value) => Math.round((value / most) * largest)),
  };
}

/** The directions in which the vectors are longest, the longest first, each at right angles to those before it. */
function findAxes(units: readonly Float64Array[], dimensions: number, count: number): Float64Array[] {
  const products = Array.from({ length: dimensions }, () => new Float64Array(dimensions));
  for (const unit of units) {
    products.forEach((row, index) => {
      const own = unit[index] ?? 0;
      for (let column = 0; column < dimensions; column += 1)
        row[column] = (row[column] ?? 0) + own * (unit[column] ?? 0);
    });
  }
  return Array.from({ length: count }, (_, place) => {
    let axis = Float64Array.from({ length: dimensions }, (__, index) => Math.cos(index * (place + 1)));
    let length = 0;
    for (let round = 0; round < rounds; round += 1) {
      const turned = Float64Array.from(products, (row) => dot(row, axis));
      length = Math.sqrt(dot(turned, turned));
      axis = turned.map((value) => value / length);
    }
    products.forEach((row, index) => {
      for (let column = 0; column < dimensions; column += 1) {
        row[column] = (row[column] ?? 0) - length * (axis[index] ?? 0) * (axis[column] ?? 0);
      }
    });
    return axis;
  });
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
