import assert from 'node:assert/strict';
import { english, openLanguages } from '../../lib/search/languages/languages.js';
import { varySpelling } from '../../lib/search/query/vary-spelling.js';
import type { SearchRequest } from '../../lib/search/search-index.js';
import { everything, folders, IndexOf } from './index-of.js';

/** The words that the index suggests for a query, as they stand in documents. */
async function suggest(of: IndexOf, query: string, request: Partial<SearchRequest> = {}): Promise<string[]> {
  const suggestions = await of.index.suggest({ reach: everything, query, limit: 10, ...request });
  const words: string[] = [];
  for (const { hit, query: found } of suggestions) {
    const text = of.texts.get(hit.location) ?? '';
    const { snippet, highlights } = await of.index.snippet(hit.location, text, found, hit);
    const [start, end] = highlights[0] ?? [0, 0];
    words.push(snippet.slice(start, end));
  }
  return words;
}

const words = 'vacation security parking budget kitchen supplier onboarding handbook policies travelling'.split(' ');

describe('search: a misspelt word', () => {
  it('has as variants what one slip makes of it: a letter left out, added, changed, or swapped', () => {
    const variants = new Set(varySpelling('plan'));
    for (const variant of ['pan', 'lan', 'pla', 'plant', 'splan', 'plain', 'plum', 'clan', 'paln', 'plna']) {
      assert.equal(variants.has(variant), variant !== 'plum', variant);
    }
    assert.equal(variants.has('plan'), false);
    assert.ok(varySpelling('договор').includes('догвоор'));
    assert.ok(varySpelling('東京').length === 0 && varySpelling('v12x').length === 0);
    assert.ok(varySpelling('a'.repeat(200)).length === 0);
  });

  it('finds with ~1 what was meant, although the slip changes its stem', async () => {
    for (const languages of [english, openLanguages(['en', 'de'])]) {
      const of = new IndexOf({}, { languages });
      for (const word of words) of.write(`${word}.txt`, `The ${word} of this year.`);
      for (const word of words) {
        for (let at = 1; at < word.length - 1; at += 1) {
          const left = word.slice(0, at) + word.slice(at + 1);
          const swapped = word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
          for (const slip of [left, swapped, `${word.slice(0, at)}q${word.slice(at)}`]) {
            const found = await of.find(`body:${slip}~1`);
            assert.ok(found.includes(`${word}.txt`), `${slip} for ${word}: ${found.join()}`);
          }
        }
      }
    }
  });

  it('is suggested as it is spelled in the document', async () => {
    const of = new IndexOf({
      'a.md': 'Our Vacations are long.',
      'b.md': 'Parking is free. The kitchen opens at noon.',
    });
    assert.deepEqual(await suggest(of, 'vacatoins'), ['Vacations']);
    assert.deepEqual(await suggest(of, 'parknig kichen'), ['Parking', 'kitchen']);
    assert.deepEqual(await suggest(of, 'kitchen'), [], 'a known word needs none');
    assert.deepEqual(await suggest(of, 'body:vacatoins -kichen vacat*'), ['Vacations']);
    assert.deepEqual(await suggest(of, 'xqzwv 12345 the'), []);
  });

  it('is the frequent one of several, and one with the same first letter before others', async () => {
    const of = new IndexOf({ 'a.md': 'fable', 'b.md': 'fable', 'c.md': 'gales', 'd.md': 'gamble', 'e.md': 'gamble' });
    assert.deepEqual(await suggest(of, 'gable'), ['gamble']);
    of.remove('d.md');
    of.remove('e.md');
    assert.deepEqual(await suggest(of, 'gable'), ['gales']);
    of.remove('c.md');
    assert.deepEqual(await suggest(of, 'gable'), ['fable']);
  });

  it('is no word that only hidden documents have', async () => {
    const of = new IndexOf({
      'open/a.md': 'parking',
      'hidden/b.md': 'packing packing',
      'hidden/c.md': 'packing vacation',
    });
    const reach = folders('open');
    assert.deepEqual(await suggest(of, 'packng', { reach }), []);
    assert.deepEqual(await suggest(of, 'parkng', { reach }), ['parking']);
    assert.deepEqual(await suggest(of, 'packng'), ['packing']);
    assert.deepEqual(await suggest(of, 'packing', { reach }), ['parking'], 'hidden words are unknown');
    assert.deepEqual(await suggest(of, 'vacaton', { filters: { folder: 'open' as never } }), []);
  });
});
