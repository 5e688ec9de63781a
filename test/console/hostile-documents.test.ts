import assert from 'node:assert/strict';
import type { WatchedPage } from '../support/browser/chromium.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

/** Each calls `attack` if anything of it runs. */
const vectors = [
  '<script>attack(1)</script>',
  '<img src=x onerror=attack(2)>',
  '<svg><script>attack(3)</script><a xlink:href="javascript:attack(3)">x</a></svg>',
  '<svg onload=attack(4)>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=attack(5)&gt;">',
  '<iframe srcdoc="<script>parent.attack(6)</script>"></iframe>',
  '<style>@import "https://example.com/x.css"; body { display: none }</style>',
  '<form action="https://example.com"><input name=attributes><button>x</button></form>',
  '<base href="https://example.com/"><meta http-equiv=refresh content="0;url=https://example.com">',
  '[a](javascript:attack(7))',
  '[b](JaVaScRiPt:attack(8) "x")',
  '[c](&#106;avascript:attack(9))',
  '[d](java\tscript:attack(10))',
  '[e](data:text/html;base64,PHNjcmlwdD5hdHRhY2soMTEpPC9zY3JpcHQ+)',
  '[f](vbscript:attack(12))',
  '[g](\\\\example.com\\x)',
  '<javascript:attack(13)>',
  '![h](javascript:attack(14))',
  '![i](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImF0dGFjaygxNSkiLz4=)',
  '![j](x.png"onerror="attack(16))',
  '![k" onerror="attack(17)](//example.com/k.png)',
  '[l]: javascript:attack(18)\n[l]',
  '```"><img src=x onerror=attack(19)>\ncode\n```',
  '# "><img src=x onerror=attack(20)>',
  '# <a id=root name=main>clobber</a> {#root}',
  '| <img src=x onerror=attack(21)> | b |\n| --- | --- |\n| `<script>attack(22)</script>` | [m](javascript:attack(23)) |',
  '- [x] <img src=x onerror=attack(24)>',
  '[n](../../../../../console/api/session)',
  '<a href="#" style="position:fixed;inset:0" onclick=attack(25)>n</a>',
  '&lt;img src=x onerror=attack(26)&gt;',
  '[![o](x onerror=attack(27))](javascript:attack(28))',
  '\u202e<script>attack(29)</script>\u202c',
  '<!--><img src=x onerror=attack(30)>-->',
  '<noscript><p title="</noscript><img src=x onerror=attack(31)>">',
];
const inName = '"><img src=x onerror=attack(40)>';

/** Runs in the page: whatever could run, load from elsewhere, or stand in for a part of the page. */
const findDangers = `(() => {
  const found = [];
  const text = document.querySelector('main');
  for (const element of text.querySelectorAll('*')) {
    const name = element.localName;
    if (['script', 'iframe', 'object', 'embed', 'form', 'base', 'meta', 'style', 'link'].includes(name) && !element.closest('.composer')) found.push(name);
    for (const { name: attribute, value } of element.attributes) {
      if (/^on/i.test(attribute) || attribute === 'srcdoc') found.push(name + ' ' + attribute);
      if (['href', 'src', 'xlink:href', 'action'].includes(attribute)) {
        const { protocol, origin } = new URL(value, location.href);
        const isFollowed = ['http:', 'https:', 'mailto:'].includes(protocol);
        if (!isFollowed || (name === 'img' && origin !== location.origin)) found.push(name + ' ' + value);
      }
    }
  }
  if (document.querySelectorAll('#root').length !== 1) found.push('a second #root');
  return [...found, ...(window.attacks ?? [])];
})()`;

describe('Hostile documents in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let editor: ConsolePerson;
  let page: WatchedPage;
  const wide = { width: 1440, height: 900 };

  before(async function () {
    test = await openConsole(this);
    editor = await test.person('Editor <img src=x onerror=attack(50)>', { h: 'editor' });
    const context = await test.browserOf(editor, wide);
    await context.addInitScript('window.attacks = []; window.attack = (number) => window.attacks.push(number);');
    const opened = await context.newPage();
    const { WatchedPage: Watched } = await import('../support/browser/chromium.js');
    page = new Watched(opened);
    // The images of these texts are nowhere.
    page.expect(400, 404);
  });
  after(() => test?.close());

  it('run nothing, load nothing from elsewhere, and take the place of nothing', async () => {
    await editor.rest.create('h/all.md', vectors.join('\n\n'));
    await open('~/d/h/all.md');
    await requireInert('all vectors');
    await open('~/d/h/all.md?view=source');
    await requireInert('the source of all vectors');
  });

  it('run nothing one by one, where no other text closes or opens what they need', async () => {
    for (const [index, vector] of vectors.entries()) await editor.rest.create(`h/one-${index}.md`, `${vector}\n`);
    for (const index of vectors.keys()) {
      await page.page.evaluate(
        `history.pushState(null, '', ${JSON.stringify(test.addressOf(`~/d/h/one-${index}.md`))}); dispatchEvent(new PopStateEvent('popstate'))`,
      );
      await page.page.getByRole('article', { name: `one-${index}.md` }).waitFor();
      assert.deepEqual(await page.page.evaluate(findDangers), [], vectors[index]);
    }
    page.judgeConsole('one by one');
  });

  it('have names, notes, labels, comments and claims that are only text', async () => {
    const location = `h/${inName.replaceAll('/', '')}.md`;
    await editor.rest.post('/v1/documents', { location, content: '# Text\n', message: inName, labels: [inName] });
    await editor.rest.post('/v1/comments', { location, text: vectors.join('\n').slice(0, 3000) });
    await editor.rest.post('/v1/comments', { location, text: inName, passage: { quote: 'Text' } });
    await editor.rest.post('/v1/claims', { location, purpose: inName });
    await open(`~/d/${encodeURIComponent(location)}`);
    await page.page.locator('.comment-text').first().waitFor();
    await page.get('button', 'Release claim').waitFor();
    await requireInert('a hostile name');
    assert.equal(await page.page.title(), `${inName}.md · Cartulary`);
  });

  const open = async (address: string): Promise<void> => {
    await page.page.goto(test.addressOf(address));
    await page.page.locator('.prose, .source').first().waitFor();
  };

  const requireInert = async (what: string): Promise<void> => {
    // What would run after a moment has had it.
    await page.page.evaluate('new Promise((resolve) => setTimeout(resolve, 50))');
    assert.deepEqual(await page.page.evaluate(findDangers), [], what);
    page.judgeConsole(what);
  };
});
