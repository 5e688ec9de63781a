import assert from 'node:assert/strict';
import { IndexOf } from './index-of.js';

describe('search: a query that is still being typed', () => {
  const of = new IndexOf({
    'a.md': '# Vacations\n\nHow many days there are.',
    'b.md': '# Kitchen\n\nKitchen days.',
    'c.md': '# Budget\n\nThe vacancy is filled.',
    'd.md': '# Day\n\nA day off.',
  });
  const find = (query: string): Promise<string[]> => of.find(query, { isPartial: true });

  it('finds words that begin with its last one, from three letters on', async () => {
    assert.deepEqual((await find('vac')).toSorted(), ['a.md', 'c.md']);
    assert.deepEqual(await find('kit'), ['b.md']);
    assert.deepEqual(await find('va'), []);
    assert.deepEqual(await find('Kitc'), ['b.md']);
    assert.deepEqual((await find('filled vac'))[0], 'c.md');
  });

  it('finds documents with the whole word first', async () => {
    const more = new IndexOf({ 'a.md': 'plans', 'b.md': 'planet planet planet', 'c.md': 'planetary' });
    assert.equal((await more.find('planet', { isPartial: true }))[0], 'b.md');
  });

  it('is finished by a blank, and its last word by a sign, a field or quotes', async () => {
    for (const query of ['vac ', '+vac', 'title:vac', '"vac"', 'kitchen -vac']) {
      assert.deepEqual(await find(query), await of.find(query), query);
    }
  });
});
