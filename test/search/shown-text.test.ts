import assert from 'node:assert/strict';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import type { Location } from '../../lib/domain/location.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { Lookback } from '../../lib/search/analysis/lookback.js';
import { showText, type Showing } from '../../lib/search/analysis/show-text.js';
import { joinLines, type ShownText } from '../../lib/search/analysis/shown-text.js';
import { cutChunks } from '../../lib/search/analysis/cut-chunks.js';
import { checkPhrases } from '../../lib/search/query/check-phrases.js';
import { parseQuery } from '../../lib/search/query/parse-query.js';
import { wordsOf } from '../../lib/search/analysis/split-words.js';
import { readCpu } from '../support/processes/measure-hold.js';
import { fill } from '../support/texts/shapes.js';
import { IndexOf } from './index-of.js';

function show(source: string, name = 'a.md', showing: Showing = {}): ShownText {
  return runAtOnce(showText(source, name, showing));
}

const lineOf = (source: string, name?: string, showing?: Showing): string =>
  joinLines(show(source, name, showing)).text;

describe('search: the shown text of Markdown', () => {
  it('has no marks of emphasis, code, links, images, tags and escapes', () => {
    for (const [source, shown] of [
      ['**Bud**get and kit*chen* and ~~old~~', 'Budget and kitchen and old'],
      ['<b>bu</b>dget <!-- a > b -->sink', 'budget sink'],
      ['a [*link* text](http://x.org/(a) "Title") here', 'a link text here'],
      ['[![alt *text*](a.png)](http://x.org)s', 'alt texts'],
      ['see <https://example.org/a_b_c> and <ada@example.org>', 'see https://example.org/a_b_c and ada@example.org'],
      ['snake_case_name and _one_ and __init__', 'snake_case_name and one and init'],
      ['`a*b*c` and ``x ` y`` and `open', 'a*b*c and x ` y and `open'],
      ['2 * 3 * 4, a * b, 5*3 and \\*not\\* me', '2 * 3 * 4, a * b, 5*3 and *not* me'],
      ['R&amp;D, K&uuml;che, &#x1F600;, &nope; AT&T', 'R&D, Küche, 😀, &nope; AT&T'],
      ['if a < b and c > d then [x](unclosed', 'if a < b and c > d then [x](unclosed'],
      ['one<br>two', 'one two'],
      ['H~2~O at ~5 and ~6', 'H2O at ~5 and ~6'],
      ['***a** b* and **a *b** c', 'a b and *a b c'],
      [
        'the [guide][1], [Guide *one*], [guide *one*][] and a[0][2]\n\n[1]: http://x.org "T"\n[guide *one*]: http://y.org',
        'the guide, Guide one, guide one and a[0][2]',
      ],
      ['Array<string|Ignore> and Record<string, never>', 'Array<string|Ignore> and Record<string, never>'],
    ] as const) {
      assert.equal(lineOf(source), shown, source);
    }
  });

  it('has no marks of headings, lists, quotes, tables, fences and lines', () => {
    for (const [source, shown] of [
      ['## Pumps ##\n\nText\n====\n\nMore\n---\n', 'Pumps Text More'],
      ['- [x] done\n- [ ] open\n  1. one\n> * quoted\n> goes on', 'done open 1. one quoted goes on'],
      ['| **Bud**get | Sum |\n| --- | ---: |\n| a \\| b | `c\\|d` |\n', 'Budget Sum a | b c|d'],
      ['> ```\n> a*b*c\n> ```\n> *x*', 'a*b*c x'],
      ['name | sum\n--- | ---\npump | 4\n\na | b', 'name sum pump 4 a | b'],
      ['```js title\nconst a = b*c*d; // &amp; <b>\n```\nafter *it*', 'const a = b*c*d; // &amp; <b> after it'],
      ['~~~~\n```\n~~~\n**code**\n~~~~\n**text**', '``` ~~~ **code** text'],
      ['- item\n\n  ```sh\n  a*b*c\n  ```\n\n    more *words*', 'item a*b*c more words'],
      ['text\n\n    code *here*\n\ntext *here*', 'text code *here* text here'],
      ['a\n\n***\n\n* * *\n\nb', 'a b'],
      ['---\ntitle: Front\n---\n# One', 'One'],
      ['#hashtag and C#', '#hashtag and C#'],
    ] as const) {
      assert.equal(lineOf(source), shown, source);
    }
  });

  it('keeps the numbers at the beginning of rows', () => {
    assert.equal(lineOf('1. Year | Sum\n--- | ---\n2026. | *5*\n10) ten\n'), '1. Year Sum 2026. 5 10) ten');
  });

  it('has a fence in a quote under a tag, and what ends a tag is none', () => {
    assert.equal(lineOf('<br>\n> ```\n> a*b*\n> ```\nc*d*\n'), 'a*b* cd');
    assert.equal(lineOf('<img\nalt="x"\n> *a*\n'), 'a');
  });

  it('of a part has nothing of a tag that begins in a line before it', () => {
    const before = 'Some words of prose go on in this line.\n'.repeat(300);
    const text = `${before}<a\n  href="hidden">word</a>\n`;
    const part = show(text, 'a.md', { start: text.indexOf('href') - 1 });
    assert.equal(part.text.trim(), 'word');
  });

  it('keeps other kinds as they are, but for the headings of texts that were made of files', () => {
    const source = '# Page 8\n**a**  &amp; <b>\n## Part\nx';
    for (const name of ['a.txt', 'a.js', 'a.json', 'a.csv', 'README']) assert.equal(show(source, name).text, source);
    assert.equal(show(source, 'a.pdf', { isMade: true }).text, 'Page 8\n**a**  &amp; <b>\nPart\nx');
  });

  it('of HTML has no tags, styles and scripts, and its words go on over tags in a line', () => {
    const source = '<p>Bu<b>dge</b>t</p><p>R&amp;D</p><style >p{}</style ><script>a</script><!-- <b> -->x<br>y';
    assert.equal(lineOf(source, 'a.html'), 'Budget R&D x y');
  });

  it('keeps the targets of references for words alone', () => {
    const source = 'the [guide][g]\n\n[g]: http://x.org/target\n';
    assert.equal(lineOf(source), 'the guide');
    assert.deepEqual(
      wordsOf(show(source, 'a.md', { withTargets: true }).text),
      'the guide g http x org target'.split(' '),
    );
  });

  it('has the words that a renderer shows', () => {
    const renderer = new MarkdownIt({ html: true });
    const piece = fc.constantFrom(
      '*',
      '**',
      '***',
      '_',
      '__',
      ' ~~old~~ ',
      '`',
      '``',
      '[',
      'e](x)',
      'e](<y z> "t")',
      '![e',
      '\\*',
      '\\\\',
      '\\!',
      '<b>',
      '</b>',
      '&amp;',
      '&uuml;',
      ' ',
      ' ',
      'a\nb',
      'ab',
      'c',
      'é',
      '.',
      '(',
      ')',
      '!',
      '東',
      '“',
      '<http://a.b>',
      'e](',
      'e](()',
      "e](x 'y",
    );
    const inline = fc.array(piece, { maxLength: 24, size: 'max' }).map((pieces) => `x${pieces.join('')}x`);
    fc.assert(
      fc.property(inline, (source) => {
        const isParagraph =
          renderer
            .parse(source, {})
            .map(({ type }) => type)
            .join() === 'paragraph_open,inline,paragraph_close';
        fc.pre(isParagraph);
        assert.equal(lineOf(source), renderedLine(renderer, source));
      }),
      { numRuns: 20000, seed: 1 },
    );
  });

  it('of a part is that part of the whole, and places lead back to the source', () => {
    const lines = fc.constantFrom(
      '# One *two*\n',
      'kit*chen* **sink\nand** more\n',
      '\n',
      '```\n',
      '~~~js\n',
      '- item *a*b\n',
      '    deep *x*y\n',
      '> quo*ted*\n',
      '| a*b* | c |\n',
      '| --- | --- |\n',
      'x &amp; y\n',
      '[g]: http://z\n',
      '<b>bo</b>ld `co*de*`\n',
      `${'long wo*rd*s '.repeat(80)}\n`,
    );
    const source = fc.array(lines, { maxLength: 80, size: 'max' }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(source, fc.nat(), fc.nat(), (text, one, other) => {
        const whole = show(text);
        const [start, end] = [one % (text.length + 1), other % (text.length + 1)].sort((a, b) => a - b) as [
          number,
          number,
        ];
        const lookback = new Lookback();
        show(text, 'a.md', { start: start >> 1, end: start, lookback });
        const part = show(text, 'a.md', { start, end, lookback });
        assert.equal(part.text, show(text, 'a.md', { start, end }).text);
        assert.equal(part.text, whole.text.slice(whole.offsetOf(start), whole.offsetOf(end)));
        for (const shown of [part, whole, joinLines(part)]) {
          for (const { index } of shown.text.matchAll(/[a-z]/g)) {
            assert.equal(text.charAt(shown.placeOf(index)), shown.text.charAt(index));
          }
        }
      }),
      { numRuns: 2000, seed: 2 },
    );
  });

  it('of a part of HTML has nothing of a script, style, comment or tag that begins before it', () => {
    const lines = [
      '<p>word</p>\n',
      '<script type="a">\nlet hidden = 1;\n</script>\n',
      '<style>\n.hidden { }\n</STYLE >\n',
    ];
    lines.push(
      '<!-- hidden\n<p> hidden <script> -->\n',
      '<a class="hidden"\n  href="hidden">word</a>\n',
      'a < b\n<3 >\n',
    );
    lines.push(`<script>\n${'let hidden = "<p>";\n'.repeat(80)}</script>\n`);
    const source = fc.array(fc.constantFrom(...lines), { maxLength: 20, size: 'max' }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(source, fc.nat(), (text, random) => {
        const whole = show(text, 'a.html');
        const start = random % (text.length + 1);
        const lookback = new Lookback();
        show(text, 'a.html', { start: Math.floor(start / 2), end: start, lookback });
        const part = show(text, 'a.html', { start, lookback });
        assert.equal(part.text, whole.text.slice(whole.offsetOf(start)));
        assert.doesNotMatch(part.text, /hidden/);
      }),
      { numRuns: 500, seed: 3 },
    );
  });
});

type Renderer = InstanceType<typeof MarkdownIt>;

function renderedLine(renderer: Renderer, source: string): string {
  const texts: string[] = [];
  const walk = (tokens: ReturnType<Renderer['parse']>): void => {
    for (const token of tokens) {
      if (token.type === 'softbreak' || token.type === 'hardbreak') texts.push(' ');
      else if (token.type === 'text' || token.type === 'code_inline' || token.type === 'text_special')
        texts.push(token.content);
      else if (token.children !== null) walk(token.children);
    }
  };
  walk(renderer.parse(source, {}));
  return texts.join('').replaceAll(/\s+/g, ' ').trim();
}

describe('search: the shown text of a hostile document', () => {
  const pieces = [
    '*',
    '_',
    '~',
    '*a ',
    '_a*',
    '**a*',
    'a*b_c',
    '*a_',
    '`',
    '`a``',
    '[',
    '![',
    '](',
    '[a](',
    '[a](<',
    '[a](b "',
    '[](',
    '](a](b)',
    '<',
    '<a',
    '<!--',
    '<a:',
    '<a b="',
    '&',
    '&a',
    '&amp;',
    '\\',
    '|',
    '|a',
    'a|b\n-|-\n',
    '> ',
    '- ',
    '1. ',
    '#',
    '# a\n',
    '```\n',
    '~~~\n> ```\n',
    '[a]: b\n',
    '[a]:\n',
    ']:',
    '[a][b',
    '\n\n    a',
    '\n',
    '\n\n',
    'a\n',
    '<!--\n',
    '<style>',
  ];

  it('is no longer than its source, and made in time in proportion to it', () => {
    for (const piece of pieces) {
      for (const name of /[<&]/.test(piece) ? ['a.md', 'a.html'] : ['a.md']) {
        const [small, large] = [50_000, 400_000].map((length) => {
          const source = fill(piece, length);
          return Math.min(
            ...[1, 2, 3].map(() => {
              const before = readCpu();
              assert.ok(show(source, name).text.length <= source.length, piece);
              return readCpu() - before;
            }),
          );
        }) as [number, number];
        // Eight times the text: a square would be sixty-four times the time.
        assert.ok(large < 24 * Math.max(small, 20), `${JSON.stringify(piece)} in ${name}: ${small} and ${large} ms`);
      }
    }
  }).timeout(60_000);

  it('is looked at once for a phrase that can stand in many of its parts', () => {
    const phrases = parseQuery('"no such phrase"').phrases;
    for (const [piece, name] of [
      ['```\na\n```\n', 'a.md'],
      ['a]b ', 'a.md'],
      ['<p>a</p>\n', 'a.html'],
      ['<script>a</script>\n', 'a.html'],
    ] as const) {
      const [small, large] = [250_000, 2_000_000].map((length) => {
        const text = fill(piece, length);
        const windows = cutChunks(text).map((start) => ({ start, end: start + 2000 }));
        const before = readCpu();
        runAtOnce(checkPhrases(name as Location, text, phrases, () => windows));
        return readCpu() - before;
      }) as [number, number];
      // Eight times the text: eight times the time, and not sixty-four times.
      assert.ok(large < 24 * Math.max(small, 10), `${JSON.stringify(piece)}: ${small} and ${large} ms`);
    }
  });
});

describe('search: words across marks', () => {
  const body = 'Our kit*chen* **sink** and the <b>bu</b>dget of R&amp;D, K&uuml;che.\n';

  it('are found and marked as whole words, and in phrases', async () => {
    const long = 'Some words of prose go on in this line.\n\n'.repeat(600);
    for (const text of [body, `${long}## Wat*er*\n\n${body}\n${long}`, `\`\`\`\nx\n\`\`\`\n${long}${body}`]) {
      const of = new IndexOf({ 'a.md': text, 'b.md': `${long}\`\`\`\nkit*chen* bu_dget\n\`\`\`\n` });
      for (const [query, marked] of [
        ['kitchen', ['kitchen']],
        ['budget', ['budget']],
        ['"kitchen sink"', ['kitchen sink']],
        ['body:"the budget of R&D"', ['the budget of R&D']],
        ['küche', ['Küche']],
      ] as const) {
        const { hits, query: read } = await of.page(query);
        assert.deepEqual(
          hits.map(({ location }) => location),
          ['a.md'],
          query,
        );
        const { snippet, highlights, place } = await of.index.snippet('a.md' as Location, text, read, hits[0]);
        assert.deepEqual(
          highlights.map(([start, end]) => snippet.slice(start, end)),
          marked,
          query,
        );
        assert.ok(!/[*<>]|&amp;/.test(snippet), snippet);
        const first = text.slice(place, place + 3).toLowerCase();
        assert.equal(
          first,
          { kit: 'kit', bud: 'bu<', the: 'the', küc: 'k&u' }[marked[0].slice(0, 3).toLowerCase()],
          query,
        );
      }
    }
  });

  it('of a title belong to it', async () => {
    const of = new IndexOf({ 'a.md': '# Kit*chen* [sinks](http://secret)\n\nText.\n', 'b.md': 'kit chen' });
    assert.deepEqual(await of.find('title:kitchen'), ['a.md']);
    assert.deepEqual(await of.find('title:"kitchen sinks"'), ['a.md']);
    assert.deepEqual(await of.find('title:secret'), []);
  });
});
