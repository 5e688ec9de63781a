import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Location } from '../../lib/domain/location.js';
import { english, openLanguages } from '../../lib/search/languages/languages.js';
import { wordsOf } from '../../lib/search/analysis/split-words.js';
import { parseQuery } from '../../lib/search/query/parse-query.js';
import { matchesWildcard } from '../../lib/search/query/match-pattern.js';
import { IndexOf, snippetFrom } from './index-of.js';

const hard =
  'universities generalizations nationalizations relational probabilities controlling happiness hopefulness operators';

describe('search: the beginning of a word', () => {
  it('finds the word at each of its letters, whatever of it is indexed', async () => {
    const of = new IndexOf({
      'a.md': 'The university is running an organization for technologies',
      'pre/universities.md': '# Running organizations',
    });
    for (const word of ['university', 'running', 'organization', 'technologies']) {
      for (let length = 3; length <= word.length; length += 1) {
        assert.ok((await of.find(`${word.slice(0, length)}*`)).includes('a.md'), word.slice(0, length));
      }
    }
    for (const query of [
      'universi*',
      'universit*',
      'title:runn*',
      'title:organiza*',
      'path:universit*',
      '+universi*',
    ]) {
      assert.ok((await of.find(query)).includes('pre/universities.md'), query);
    }
    of.write('b.md', 'giraffe');
    of.write('c.md', 'giraffe organization');
    assert.deepEqual(await of.find('giraffe -organiz*'), ['b.md']);
    assert.deepEqual(await of.find('+giraffe +organiz*'), ['c.md']);
    const { snippet, highlights } = await snippetFrom(of.index, 'a.md' as Location, 'A university.', 'universi*');
    assert.deepEqual(
      highlights.map(([start, end]) => snippet.slice(start, end)),
      ['university'],
    );
  });

  it('finds every word of the manual by each beginning of three letters or more', () => {
    const words = corpus();
    assert.ok(words.length > 1000, `${words.length} words`);
    for (const languages of [english, openLanguages(['en', 'de'])]) {
      const missed: string[] = [];
      for (const word of words) {
        const stems = languages.stemsOf(word, word);
        for (let length = 3; length <= word.length; length += 1) {
          const [term] = parseQuery(`${word.slice(0, length)}*`, 'operators', languages).clauses[0]?.terms ?? [];
          const isFound =
            term?.type === 'wildcard' &&
            stems.some((stem) => term.stems.includes(stem) || matchesWildcard(stem, term.pattern));
          if (!isFound) missed.push(`${word} by ${word.slice(0, length)}`);
        }
      }
      assert.deepEqual(missed, [], languages.codes.join());
    }
  });
});

/** The words of the manual, and some with many endings. */
function corpus(): string[] {
  const folder = fileURLToPath(new URL('../../../lib/docs/', import.meta.url));
  const pages = fs.readdirSync(folder).filter((name) => name.endsWith('.md'));
  const words = pages.flatMap((name) => wordsOf(fs.readFileSync(`${folder}${name}`, 'utf8')));
  return [...new Set([...words, ...hard.split(' ')])].filter((word) => /^[a-z]{3,}$/.test(word));
}
