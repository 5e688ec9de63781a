import assert from 'node:assert/strict';
import { stemWord } from '../../lib/search/analysis/stem-word.js';
import { openVectors } from '../../lib/search/meaning/open-vectors.js';
import { reduceVectors } from '../../lib/search/meaning/reduce-vectors.js';
import { packVectors, StaticVectors } from '../../lib/search/meaning/static-vectors.js';
import { compareDirections, ownVectors, toDirection, type WordVectors } from '../../lib/search/meaning/word-vectors.js';

describe('search: word vectors', () => {
  it('of the program place words near in meaning near each other', () => {
    const vectors = openVectors(ownVectors);
    assert.equal(vectors.dimensions, 64);
    for (const [one, near, far] of [
      ['car', 'truck', 'ladder'],
      ['doctor', 'physician', 'harbour'],
      ['salary', 'wages', 'water'],
    ] as const) {
      assert.ok(nearness(vectors, one, near) > nearness(vectors, one, far) + 0.3, one);
    }
    assert.equal(directionOf(vectors, 'xylographer'), undefined);
    assert.throws(() => openVectors('others'), /no word vectors called others/);
  });

  it('come back from their file as they were made', () => {
    const words = ['the', 'dog', 'hound', 'hounds', 'stone', 'wood'];
    const rows = words.map((_, word) => Array.from({ length: 80 }, (__, axis) => Math.sin(word * 80 + axis ** 2)));
    const published = Object.fromEntries(words.map((word, place) => [word, rows[place] ?? []]));
    const table = reduceVectors({ dimensions: 80, words, vectors: published });
    assert.deepEqual(table.stems, ['dog', 'hound', 'stone', 'wood']);
    const vectors = new StaticVectors('made', packVectors(table));
    assert.equal(vectors.dimensions, table.dimensions);
    table.stems.forEach((stem, place) => {
      const sums = new Int32Array(table.dimensions);
      vectors.add(stem, sums);
      assert.deepEqual([...sums], [...table.rows.subarray(place * 64, (place + 1) * 64)], stem);
    });
  });
});

function directionOf(vectors: WordVectors, word: string): Int8Array | undefined {
  const sums = new Int32Array(vectors.dimensions);
  vectors.add(stemWord(word), sums);
  return toDirection(sums);
}

function nearness(vectors: WordVectors, one: string, other: string): number {
  const [a, b] = [directionOf(vectors, one), directionOf(vectors, other)];
  assert.ok(a !== undefined && b !== undefined, `${one}, ${other}`);
  return compareDirections(a, b, 0);
}
