import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { splitWords, splitWordsInSteps, wordsOf } from '../../lib/search/analysis/split-words.js';
import { IndexOf, snippetFrom } from './index-of.js';

describe('search: pictographs and currency signs', () => {
  const of = new IndexOf({
    'goal.md': '# 🎯 Goals\n\nOur big 🎯plan✅, with ❤️ and 100€.',
    'plain.md': '# Goals\n\nOur big plan, with 100 $.',
    '🎉.md': 'party',
  });

  it('are words, alone and beside a word', async () => {
    assert.deepEqual(wordsOf('a🎯b ❤️ 5€ 👩‍👩‍👧 ★'), ['a', '🎯', 'b', '❤', '5', '€', '👩', '👩', '👧', '★']);
    for (const query of ['🎯', '✅', '❤️', '❤', '€', '100€', '+🎯', 'title:🎯'])
      assert.equal((await of.find(query))[0], 'goal.md', query);
    assert.deepEqual(await of.find('+🎯'), ['goal.md']);
    assert.deepEqual(await of.find('goals -🎯'), ['plain.md']);
    assert.deepEqual(await of.find('🎉'), ['🎉.md']);
  });

  it('are ignored in phrases', async () => {
    assert.deepEqual((await of.find('"big plan"')).toSorted(), ['goal.md', 'plain.md']);
    assert.deepEqual((await of.find('"big 🎯 plan"')).toSorted(), ['goal.md']);
    assert.deepEqual(await of.find('"🎯"'), ['goal.md']);
    const { snippet, highlights } = await snippetFrom(of.index, 'a.md' as Location, 'Our big 🎯 plan', '"big plan"');
    assert.ok(highlights.some(([start, end]) => snippet.slice(start, end) === 'big 🎯 plan'));
  });

  it('are marked whole in a snippet', async () => {
    const { snippet, highlights } = await snippetFrom(of.index, 'a.md' as Location, 'Our big 🎯 plan', '🎯');
    assert.deepEqual(
      highlights.map(([start, end]) => snippet.slice(start, end)),
      ['🎯'],
    );
  });

  it('are the same in steps and at once, wherever a step ends', () => {
    for (const piece of ['🎯', 'a🎯', '❤️ ', '東🎯京', '€5 ']) {
      for (const length of [1000, 4096, 16_384, 20_000]) {
        const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
        const [atOnce, inSteps]: [string[], string[]] = [[], []];
        splitWords(text, (word, start, end) => atOnce.push(`${word} ${start} ${end}`));
        for (const _ of splitWordsInSteps(text, (word, start, end) => inSteps.push(`${word} ${start} ${end}`)));
        assert.ok(atOnce.join() === inSteps.join(), `${piece} ${length}`);
      }
    }
  });
});
