import assert from 'node:assert/strict';
import { OpenManual } from './open-manual.js';

describe('The search of the manual', () => {
  let manual: OpenManual;

  before(async () => {
    manual = await OpenManual.open();
  });
  after(() => manual.close());

  it('finds sections by their words, in any form and by their beginning, the nearest first', async () => {
    for (const question of ['erase', 'erasing', 'ERASED', 'Erase']) {
      assert.match(titlesIn(await search(question))[0] ?? '', /[Ee]rase/, question);
    }
    assert.match(await search('idempot'), /Idempotency|Idempotency-Key/);
    const [first = ''] = titlesIn(await search('mint a key'));
    assert.match(first, /Mint a key|key mint/);
  });

  it('answers the questions of a newcomer from the guides, before lists and changes', async () => {
    const questions: Readonly<Record<string, string>> = {
      'conditional update': 'applications#conditional-updates-with-if-match',
      pagination: 'applications#rules-for-every-call',
      'rate limit': 'applications#rules-for-every-call',
      'retry idempotency': 'applications#write',
      'webhook signature': 'webhooks#a-message',
      'rotate a key': 'commands#key-rotate',
      'restore a backup': 'admins#backup',
      'nginx tls': 'operating#behind-nginx-or-caddy-with-tls',
      'forgot password': 'people',
    };
    const places: Record<string, readonly string[]> = {};
    for (const question of Object.keys(questions)) {
      const links = [...(await search(question)).matchAll(/<li>\s*<a href="([^"]*)"/g)];
      places[question] = links.slice(0, 3).map(([, address = '']) => address);
    }
    for (const [question, wanted] of Object.entries(questions)) {
      assert.ok(places[question]?.includes(wanted), `${question}: ${places[question]?.join(', ')}`);
    }
  });

  it('finds the name of a reason as a whole and by its parts', async () => {
    for (const question of ['stale_if_match', 'stale match']) {
      assert.match((await search(question)).replaceAll(/<\/?mark>/g, ''), /stale_if_match/, question);
    }
  });

  it('shows an excerpt with the words marked, and leads to the section', async () => {
    const text = await search('passphrase');
    assert.match(text, /<mark>passphrase<\/mark>/);
    assert.match(text, /<a href="admins#backup">/);
    const { text: page } = await manual.send('/docs/admins');
    assert.match(page, /<h2 id="backup">/);
  });

  it('finds what has some of the words where nothing has all, and says so', async () => {
    const text = await search('webhook xyzzyplugh');
    assert.match(text, /No place has all of these words/);
    assert.match(titlesIn(text)[0] ?? '', /[Ww]ebhook/);
  });

  it('says when it shows only the best of what it found', async () => {
    assert.match(await search('access'), /<p role="status">The best 20 places in the manual\.<\/p>/);
    assert.doesNotMatch(await search('passphrase-file'), /The best/);
  });

  it('says when nothing is found, and when nothing was asked', async () => {
    assert.match(await search('xyzzyplugh'), /<p role="status">Nothing in the manual has these words\.<\/p>/);
    assert.match(await search('the of and'), /Nothing in the manual/);
    for (const address of ['/docs/search', '/docs/search?q=', '/docs/search?q=%20%20']) {
      const { status, text } = await manual.send(address);
      assert.equal(status, 200);
      assert.match(text, /Type a word into the field above/);
    }
  });

  it('keeps the question in its field, and escapes it there', async () => {
    const text = await search('"><script>alert(1)</script>');
    assert.doesNotMatch(text, /<script/);
    assert.match(text, /value="&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;"/);
    const marked = await search('{{results}} $& $1');
    assert.match(marked, /value="{{results}} \$&amp; \$1"/);
  });

  it('reads so much of a question and no more', async () => {
    const long = `${'x'.repeat(199)} erase`;
    assert.match(await search(long), /Nothing in the manual/);
    assert.equal((await manual.send(`/docs/search?q=${'x'.repeat(2047)}`)).status, 414);
    assert.equal((await manual.send(`/docs/search?${'q=x&'.repeat(9)}`)).status, 414);
    assert.equal((await manual.send('/docs/search?q=%ff%fe')).status, 200);
  });

  it('looks at a bounded part of the index for letters that begin many words', async () => {
    const text = await search('a b c d e f g h i j k l m n o p');
    assert.ok(titlesIn(text).length <= 20);
  });

  const search = async (question: string): Promise<string> => {
    const { status, text } = await manual.send(`/docs/search?q=${encodeURIComponent(question)}`);
    assert.equal(status, 200, question);
    return text;
  };
});

/** The titles of the results, in their order. */
const titlesIn = (text: string): string[] =>
  [...text.matchAll(/<li>\s*<a href="[^"]*">([^<]*)<\/a>\s*<p>/g)].map(([, title = '']) => title);
