import assert from 'node:assert/strict';
import { findNeighbours } from '../../lib/search/neighbours/find-neighbours.js';
import { NeighbourTable, packNeighbours } from '../../lib/search/neighbours/neighbour-table.js';
import { widenTerm } from '../../lib/search/neighbours/widen-term.js';
import { stemWord } from '../../lib/search/analysis/stem-word.js';
import { IndexOf } from './index-of.js';

const texts = { 'a.md': 'the car is red', 'b.md': 'the truck is red', 'c.md': 'the ladder is red' };

describe('search: words near in meaning', () => {
  it('are found after the word itself', async () => {
    const of = new IndexOf(texts, { neighboursOf: widenTerm });
    assert.deepEqual(await of.find('cars'), ['a.md', 'b.md']);
    assert.deepEqual(await new IndexOf(texts).find('cars'), ['a.md']);
  });

  it('stand in for no word that the query insists on, quotes or spells with a pattern', async () => {
    const of = new IndexOf(texts, { neighboursOf: widenTerm });
    assert.deepEqual(await of.find('+car'), ['a.md']);
    assert.deepEqual(await of.find('car*'), ['a.md']);
    assert.deepEqual(await of.find('red -car'), ['b.md', 'c.md']);
  });

  it('are at most five, at low weight, in the form that the index has', () => {
    for (const word of ['car', 'doctor', 'salary', 'water', 'contract']) {
      const near = widenTerm(stemWord(word));
      assert.ok(near.length > 0 && near.length <= 5, word);
      for (const { term, weight } of near) {
        assert.ok(weight >= 0.2 * 0.59 ** 2 && weight <= 0.2);
        assert.ok(term.type === 'exact' && term.term !== stemWord(word));
      }
    }
    assert.deepEqual(widenTerm('xylographer'), []);
    assert.deepEqual(widenTerm(''), []);
  });

  it('come from vectors by their cosine, and survive packing', () => {
    const vectors = { dog: [1, 0, 9], hound: [0.9, 0.2, 9], hounds: [0, 1, 9], stone: [-1, 0, 9], the: [1, 0, 9] };
    const lists = findNeighbours({ dimensions: 2, words: Object.keys(vectors), vectors });
    assert.deepEqual(lists.stems, ['dog', 'hound', 'stone']);
    const table = new NeighbourTable(packNeighbours(lists));
    assert.deepEqual(
      table.neighboursOf('dog').map(({ stem }) => stem),
      ['hound'],
    );
    assert.ok(Math.abs((table.neighboursOf('hound')[0]?.cosine ?? 0) - 0.976) < 0.003);
    assert.deepEqual(table.neighboursOf('stone'), []);
    assert.deepEqual(table.neighboursOf('zebra'), []);
  });
});
