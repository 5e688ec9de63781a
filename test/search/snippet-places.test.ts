import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Location } from '../../lib/domain/location.js';
import { languageCodes } from '../../lib/search/languages/open-stemmer.js';
import { english, openLanguages, type Languages } from '../../lib/search/languages/languages.js';
import { splitWords, wordsOf } from '../../lib/search/analysis/split-words.js';
import { IndexOf, snippetFrom } from './index-of.js';

/** Words with more or fewer places than they seem to have, and the characters between and within them. */
const words = [
  'ladder',
  'Ladders',
  'lad\u00adder',
  'l\u0301a\u0302dder',
  'Häu\u00adser',
  'HA\u0308USER',
  'haus',
  'Straße',
  '東京都',
  '都会',
  'ﾊﾞｽ',
  'ﾊﾞｽ㍿東京',
  '\u1112\u1161\u11ab국',
  '한국어',
  '𠀋𠀋',
  'ﬁle',
  '\ufdfa',
  'договоры',
  'до\u0301говор',
  'พนักงาน',
  'x'.repeat(300),
];
const pieces = [
  ' ',
  '\n',
  '\r\n\t',
  '\u202e',
  '\u2066',
  '\u2069 ',
  '\u200b',
  '<b>',
  '</b>',
  '<script>alert(1)</script>',
  '&amp;',
  '](http://x/)',
  '[',
  '**',
  '👩‍👩‍👧',
  '\u0301',
  '\ufffd',
  '",',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.constantFrom(...pieces), fc.constant(' filler text')), {
    maxLength: 80,
    size: 'max',
  })
  .map((parts) => parts.join(''));
const query = fc.array(fc.constantFrom(...words, '"東京都"', 'ladd*', 'haüser~1', '"ladder haus"'), {
  minLength: 1,
  maxLength: 3,
});

describe('search: places in a text', () => {
  it('are those of the word’s parts, one after the other, with any change of lengths by normalising', () => {
    fc.assert(
      fc.property(text, (whole) => {
        let last = 0;
        splitWords(whole, (word, start, end) => {
          assert.ok(0 <= start && start < end && end <= whole.length);
          assert.ok(start >= last || Array.from(word).length === 2, 'in order, but for pairs');
          assert.ok(!isCut(whole, start) && !isCut(whole, end));
          assert.ok(wordsOf(whole.slice(start, end)).includes(word), `${word} at ${start}`);
          if (Array.from(word).length !== 2) last = start;
        });
      }),
      { numRuns: 400, seed: 7 },
    );
  });

  it('within a long run of another width are not the whole run', () => {
    const places: string[] = [];
    const run = `${'東'.repeat(40)}ﾊﾞｽ㍿京都`;
    splitWords(run, (word, start, end) => {
      if (word === '京都' || word === 'バス') places.push(run.slice(start, end));
    });
    assert.deepEqual(places, ['ﾊﾞｽ', '京都']);
  });
});

describe('search: words with invisible characters', () => {
  it('are found as they are read, and shown whole', async () => {
    const body = 'Die Kündi\u00adgungs\u00adfrist und lad\u2060der, \u202ebackwards\u202c, می\u200cخواهم.';
    const of = new IndexOf({ 'a.md': body });
    for (const asked of ['kündigungsfrist', 'kündi\u00adgungsfrist', 'ladder', 'backwards', 'می‌خواهم', 'kundig*']) {
      assert.deepEqual(await of.find(asked), ['a.md'], asked);
    }
    const { snippet, highlights } = await snippetFrom(of.index, 'a.md' as Location, body, 'kündigungsfrist');
    assert.deepEqual(
      highlights.map(([start, end]) => snippet.slice(start, end)),
      ['Kündi\u00adgungs\u00adfrist'],
    );
  });
});

describe('search: snippets of hostile texts', () => {
  it('mark words of the query and nothing else, in whole characters, in order', async function () {
    this.timeout(60_000);
    const several = openLanguages(languageCodes.filter((code) => ['en', 'de', 'ru'].includes(code)));
    const of = new IndexOf({}, { languages: several });
    await fc.assert(
      fc.asyncProperty(text, query, fc.constantFrom('a.md', 'a.txt', 'a.html'), async (whole, asked, name) => {
        const { snippet, highlights } = await snippetFrom(
          of.index,
          name as Location,
          whole,
          asked.join(' ').slice(0, 500),
        );
        assert.ok(!/\p{Surrogate}/u.test(snippet) && snippet.length <= 260 && !/[\n\r\t]/.test(snippet));
        let last = 0;
        const wanted = stemsIn(several, asked.join(' '));
        for (const [start, end] of highlights) {
          assert.ok(last <= start && start < end && end <= snippet.length, JSON.stringify(highlights));
          assert.ok(!isCut(snippet, start) && !isCut(snippet, end));
          const shown = stemsIn(several, snippet.slice(start, end));
          const isLong = end === snippet.length;
          const isNear = asked.some((each) => /[*~]/.test(each));
          assert.ok(isLong || isNear || [...shown].some((each) => wanted.has(each)), snippet.slice(start, end));
          last = end;
        }
      }),
      { numRuns: 400, seed: 8 },
    );
  });

  it('are the same whether the search of the text ends at the first window with all words or not', async () => {
    const of = new IndexOf({});
    const sentence = fc.constantFrom(
      'a ladder stands',
      'by the barn',
      'near rungs',
      '東京都の家',
      'filler '.repeat(40),
    );
    const long = fc.array(sentence, { minLength: 5, maxLength: 60 }).map((parts) => parts.join(' '));
    const asked = fc.subarray(['ladder', 'barn', 'rung*', '東京'], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(long, asked, async (body, words) => {
        const shown = await snippetFrom(of.index, 'a.txt' as Location, body, words.join(' '));
        // No window has the last word, so that the whole text is searched.
        const whole = await snippetFrom(of.index, 'a.txt' as Location, body, [...words, 'absent'].join(' '));
        assert.deepEqual(shown, whole);
      }),
      { numRuns: 300, seed: 9 },
    );
  });

  it('are found by the first letters of words, which English terms keep', () => {
    const letters = fc.array(fc.constantFrom(...Array.from('aeioyust'), 'ing', 'ed', 'ies', 'ness', 'ization'), {
      maxLength: 6,
    });
    const made = letters.map((parts) => parts.join('')).filter((word) => word !== '');
    fc.assert(
      fc.property(
        fc.oneof(
          made,
          fc.constantFrom(...words).map((word) => wordsOf(word)[0] ?? 'a'),
        ),
        (word) => {
          for (const stem of english.stemsOf(word, word)) assert.equal(stem.charCodeAt(0), word.charCodeAt(0), word);
        },
      ),
      { numRuns: 5000, seed: 10 },
    );
  });

  it('mark the same words as a search that looks at each', async () => {
    const of = new IndexOf({});
    const asked = fc.subarray([...words, 'filler', 'text'], { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(text, asked, async (body, sought) => {
        const query = sought.map((word) => wordsOf(word)[0] ?? '').join(' ');
        const shown = await snippetFrom(of.index, 'a.txt' as Location, body, query);
        // No word begins so, and a pattern makes it look at every word.
        const whole = await snippetFrom(of.index, 'a.txt' as Location, body, `${query} zzzzzz*`);
        assert.deepEqual(shown, whole);
      }),
      { numRuns: 300, seed: 11 },
    );
  });

  it('mark a phrase over the ends of lines and through markup', async () => {
    const of = new IndexOf({});
    for (const body of [
      'a leave\r\n  of **absence** is',
      'a leave <b>of</b>\nabsence',
      'leave [of](http://x "y") absence',
    ]) {
      const { snippet, highlights } = await snippetFrom(of.index, 'a.md' as Location, body, '"leave of absence"');
      assert.deepEqual(
        highlights.map(([start, end]) => wordsOf(snippet.slice(start, end)).join(' ')),
        ['leave of absence'],
      );
    }
  });

  it('end with whole characters and everything joined to them', async () => {
    const of = new IndexOf({});
    for (let lead = 0; lead < 6; lead += 1) {
      const body = 'x'.repeat(lead) + 'e\u0301'.repeat(400);
      const { snippet } = await snippetFrom(of.index, 'a.txt' as Location, body, 'absent');
      assert.ok(snippet.endsWith('e\u0301'), `after ${lead}`);
    }
  });
});

describe('search: a long question', () => {
  it('is not refused for words of little meaning in English, in several languages either', async () => {
    const of = new IndexOf({ 'a.md': 'The ladder was checked.' }, { languages: openLanguages(['en', 'de']) });
    const question = `${'the of and to in was not '.repeat(5)} who has checked the ladder`;
    assert.deepEqual(await of.find(question), ['a.md']);
  });
});

const isCut = (whole: string, at: number): boolean =>
  /[\ud800-\udbff]/.test(whole.charAt(at - 1)) && /[\udc00-\udfff]/.test(whole.charAt(at));

function stemsIn(languages: Languages, piece: string): Set<string> {
  return new Set(wordsOf(piece).flatMap((word) => [word, ...languages.stemsOf(word, word)]));
}
