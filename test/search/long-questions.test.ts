import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { countedTerms, maxTermsOfQuestion } from '../../lib/search/query/parse-query.js';
import { folders, IndexOf } from './index-of.js';
import { searchSlowly } from './oracle.js';

describe('search: a question of more than 24 words', () => {
  it('is answered, and says whether words were left out', async () => {
    const of = new IndexOf({ 'a.md': wordsTo(60), 'b.md': 'something else' });
    for (const [count, leavesOut] of [
      [25, false],
      [countedTerms, false],
      [countedTerms + 1, true],
    ] as const) {
      const page = await of.page(wordsTo(count));
      assert.deepEqual([page.hits.length, page.leavesOut], [1, leavesOut], String(count));
    }
    const absent = await of.page(`${wordsTo(30)} ${'no such words here '.repeat(8)}`);
    assert.equal(absent.leavesOut, false, 'words without a document leave nothing out');
    assert.deepEqual(await of.find(wordsTo(30).replaceAll('t', 'z')), [], 'nothing matches words that are nowhere');
    assert.deepEqual(await of.find('something '.repeat(40)), ['b.md'], 'a word counts once');
    assert.equal((await of.page('京'.repeat(200))).leavesOut, false);
    const many = Array.from({ length: maxTermsOfQuestion + 1 }, (_, number) => String.fromCodePoint(0x4e00 + number));
    assert.equal((await of.page(many.join(' '))).leavesOut, true, 'more words than are looked up');
  });

  it('counts a word that it says again before a rarer one that it says once', async () => {
    // Each word is in its document; the words of others in both, so that they are less rare by a little.
    const once = Array.from(
      { length: countedTerms },
      (_, number) => `once${String.fromCodePoint(97 + (number % 26))}${number}`,
    );
    const of = new IndexOf({
      'rare.md': once.join(' '),
      'again.md': 'subject',
      'too.md': 'subject',
      ...Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`other${number}.md`, 'other'])),
    });
    const question = `${once.join(' ')} subject subject subject`;
    assert.ok((await of.find(question)).includes('again.md'));
    assert.ok(!(await of.find(`${once.join(' ')} subject`)).includes('again.md'));
  });

  it('is taken up to 2,000 characters, as plain words alone where it is long', async () => {
    const of = new IndexOf({ 'a.md': 'harbour', 'b.md': 'lighthouse' });
    const filler = 'if and or of the it is '.repeat(30);
    assert.ok(filler.length > 512);
    assert.deepEqual(await of.find(`${filler}-lighthouse harbour`), ['a.md', 'b.md']);
    const longest = `harbour ${'of the '.repeat(400)}`.slice(0, 2000);
    assert.deepEqual(await of.find(longest), ['a.md']);
    await assert.rejects(of.find(`${longest}x`), /longer than 2000 characters/);
  });

  it('counts by the words rarest in the reach, in every page alike', async () => {
    const own = texts('own', 50);
    const question = wordsTo(60);
    const list = Object.entries(own).map(([location, text], key) => {
      return { key, location: location as Location, text, kind: 'text' as const, labels: [] };
    });
    const expected = searchSlowly(list, question).map(({ location }) => location);
    const alone = new IndexOf(own);
    // Elsewhere the rarest words are the most frequent ones.
    const elsewhere = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`else/${n}.md`, wordsTo(20)]));
    const beside = new IndexOf({ ...elsewhere, ...own });
    const found: string[] = [];
    for (let position = null as Awaited<ReturnType<IndexOf['page']>>['position']; ;) {
      const page = await alone.page(question, { reach: folders('own'), limit: 7, position });
      const same = await beside.page(question, { reach: folders('own'), limit: 7, position });
      assert.deepEqual(same, { ...page, hits: same.hits });
      assert.deepEqual(
        same.hits.map(({ location }) => location),
        page.hits.map(({ location }) => location),
      );
      found.push(...page.hits.map(({ location }) => location));
      assert.equal(page.leavesOut, true);
      if (page.position === null) break;
      assert.ok(JSON.stringify(page.position).length < 800, 'the position stays short');
      ({ position } = page);
    }
    assert.deepEqual(found, expected);
  });
});

const wordAt = (number: number): string => `t${String(number).padStart(3, '0')}`;

const wordsTo = (count: number): string => Array.from({ length: count }, (_, number) => wordAt(number)).join(' ');

/** Document n holds the words from n on: the word with the lowest number is the rarest. */
const texts = (folder: string, count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `${folder}/${String(number).padStart(3, '0')}.md`,
      Array.from({ length: 60 }, (__, word) => word)
        .filter((word) => word >= number)
        .map(wordAt)
        .join(' '),
    ]),
  );
