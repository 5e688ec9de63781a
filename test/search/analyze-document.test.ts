import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import {
  analyzeDocument,
  maxTextLength,
  renameAnalyzed,
  type AnalyzedDocument,
} from '../../lib/search/analysis/analyze-document.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { english } from '../../lib/search/languages/languages.js';
import { findTitle } from '../../lib/search/analysis/find-title.js';
import { showText } from '../../lib/search/analysis/show-text.js';
import { maxWordLength, splitWords, wordsOf } from '../../lib/search/analysis/split-words.js';

const megabyte = 1_000_000;

describe('search: words', () => {
  it('are folded: case, width, ligatures and diacritics', () => {
    assert.deepEqual(wordsOf('Été STRASSE Straße ﬁle Ｆｕｌｌ Łódź'), [
      'ete',
      'strasse',
      'strasse',
      'file',
      'full',
      'lodz',
    ]);
    assert.deepEqual(wordsOf('e\u0301te\u0301'), wordsOf('été'), 'composed or not');
  });

  it('of scripts without spaces are single characters and pairs', () => {
    assert.deepEqual(wordsOf('東京都'), ['東', '東京', '京', '京都', '都']);
    assert.deepEqual(wordsOf('Git入門'), ['git', '入', '入門', '門']);
    assert.deepEqual(wordsOf('ﾊﾞｽ'), ['バ', 'バス', 'ス'], 'half-width kana');
  });

  it('have the start and end of each word in the text', () => {
    const text = 'Die Straße, 京都 — e\u0301te\u0301.';
    const places: string[] = [];
    splitWords(text, (_, start, end) => places.push(text.slice(start, end)));
    assert.deepEqual(places, ['Die', 'Straße', '京', '京都', '都', 'e\u0301te\u0301']);
  });

  it('of hostile texts cost in proportion to their length', () => {
    const [only, ...others] = wordsOf('x'.repeat(120_000));
    assert.equal(only?.length, maxWordLength);
    assert.deepEqual(others, []);
    assert.ok(countWords(`a${'\u0301'.repeat(megabyte)}`) <= 1, 'one letter under a million accents');
    assert.ok(countWords('\u0301 '.repeat(megabyte / 2)) <= megabyte / 2);
    assert.ok(countWords('\ufdfa'.repeat(megabyte / 4)) <= 8 * maxWordLength, 'grows by 18 under NFKC');
    assert.ok(countWords('\ufdfa '.repeat(10_000)) <= 40_000);
    assert.equal(countWords('漢'.repeat(100_000)), 199_999, 'pairs also where a run is taken in spans');
    // Beyond four million characters the engine's own matcher would give up with an exception.
    assert.equal(countWords('x'.repeat(maxTextLength)), 1);
    assert.equal(countWords('ä'.repeat(maxTextLength / 2)), 1);
    assert.equal(countWords('['.repeat(megabyte)), 0);
  });
});

describe('search: markup', () => {
  it('a title in the markup gives way to the visible heading', () => {
    const text =
      '---\ntitle: Leave\n---\n# Days <b>off</b>\nSee [the handbook](https://example.org/secret "x") and ![a tree](t.png).';
    assert.deepEqual(wordsOf(show(text, 'leave.md')), 'days off see the handbook and a tree'.split(' '));
  });

  it('stays in texts of other kinds, and where it is none', () => {
    assert.equal(show('vector<int> a[3](b)', 'x.cpp'), 'vector<int> a[3](b)');
    assert.match(show('if a < b and c > d then [x](unclosed', 'x.md'), /a < b and c > d then \[x\]\(unclosed/);
  });

  it('drops the styles and scripts of HTML, which Markdown shows in examples', () => {
    const text =
      '<p>One</p><STYLE type="a">p { color: red }</Style ><p>two</p><script>if (a < b) go()</script>three<style>x';
    assert.deepEqual(wordsOf(show(text, 'page.html')), ['one', 'two', 'three']);
    assert.ok(wordsOf(show(text, 'page.md')).includes('color'));
    assert.deepEqual(wordsOf(show('<styles>kept</styles>', 'page.html')), ['kept']);
  });

  it('costs in proportion to the text, with any unclosed elements', () => {
    // Each of these took minutes if every bracket looked for its own end.
    for (const piece of ['[', '](', '<a', '<', '[](', '![x](<', '---\n', '`', '**']) {
      const text = piece.repeat(megabyte / piece.length);
      assert.ok(show(text, 'hostile.md').length <= text.length, piece);
      assert.ok(analyze('hostile.md', text).terms.size < 10, piece);
    }
    for (const piece of ['<style>', '<script><style>', '</style']) {
      assert.ok(analyze('hostile.html', piece.repeat(megabyte / piece.length)).terms.size < 10, piece);
    }
    assert.ok(analyze('hostile.html', `<title${' '.repeat(megabyte)}`).terms.size < 10);
    assert.ok(analyze('hostile.md', `---\ntitle:${' '.repeat(15_000)}x${' '.repeat(900)}\n---\n`).terms.size < 10);
  });
});

describe('search: titles', () => {
  it('are the front matter’s, the page’s, or the first heading', () => {
    assert.equal(findTitle('---\nauthor: Ada\ntitle: "On leave"\n---\n# Other', 'a.md')?.title, 'On leave');
    assert.equal(findTitle('<html><head><title>On leave</title>', 'a.md')?.title, 'On leave');
    assert.equal(findTitle('\n\n# On leave\ntext', 'a.md')?.title, 'On leave');
    assert.equal(findTitle('= On leave\n\ntext', 'a.adoc')?.title, 'On leave');
    assert.equal(findTitle('On leave\n========\ntext', 'a.md')?.title, 'On leave');
    assert.equal(findTitle('just text\n\n---\n\nmore', 'a.md'), undefined);
  });

  it('in front matter are read as YAML, and stay the words that were written', () => {
    for (const [member, title] of [
      ['title: On leave', 'On leave'],
      ['title: C# in depth # a note', 'C# in depth'],
      ['title: >\n  On\n  leave\nauthor: Ada', 'On leave'],
      ['title: |-\n\n  On leave\n', 'On leave'],
      ['title: On\n  leave', 'On leave'],
      ["title: 'Ada''s leave'", 'Ada’s leave'.replace('’', "'")],
      ['title: "On \\u006ceave"', 'On leave'],
      ['title: 2026-11-27', '2026-11-27'],
      ['title: 1.10', '1.10'],
      ['title: true', 'true'],
      ['title: Notes: a start', 'Notes: a start'],
      ['title: [On, leave]', undefined],
      ['title: &a !!binary *b', '&a !!binary *b'],
      ['title:', undefined],
      ['title: # nothing', undefined],
    ] as const) {
      assert.equal(findTitle(`---\r\n${member}\n---\ntext`, 'a.md')?.title, title, member);
      assert.equal(findTitle(`\ufeff---\n${member}\n---\ntext`, 'a.md')?.title, title, member);
    }
    assert.equal(findTitle('\ufeff# On leave', 'a.md')?.title, 'On leave');
  });

  it('are counted as titles, not as text', () => {
    const { lengths, terms } = analyze('a/b.md', '# Ladder safety\n\nA ladder.');
    assert.deepEqual(lengths, [1, 2, 2, 0]);
    assert.equal(terms.get('ladder'), (1 << 5) | (1 << 2));
  });

  it('are the name where a text shows none, and change with it', () => {
    const before = analyze('a/ladder.txt', 'Climb.');
    assert.deepEqual(renameAnalyzed(before, 'a/stairs.txt' as Location, english), analyze('a/stairs.txt', 'Climb.'));
    const titled = analyze('a/ladder.md', '# Climbing');
    assert.deepEqual(renameAnalyzed(titled, 'b/stairs.md' as Location, english), analyze('b/stairs.md', '# Climbing'));
  });
});

describe('search: binary documents', () => {
  it('are found by their name and labels', () => {
    const { terms } = analyze('pictures/Old-Harbour.png', null, ['Hafen']);
    for (const term of ['old', 'harbour', 'png', 'hafen']) assert.ok(terms.has(term), term);
    assert.ok(!terms.has('pictur') && !terms.has('pictures'), 'the folder’s name is not the document’s');
  });
});

function analyze(location: string, text: string | null, labels: string[] = []): AnalyzedDocument {
  return analyzeDocument({ location: location as Location, text, kind: text === null ? 'binary' : 'text', labels });
}

function show(text: string, name: string): string {
  return runAtOnce(showText(text, name)).text;
}

function countWords(text: string): number {
  let count = 0;
  splitWords(text, () => (count += 1));
  return count;
}
