import assert from 'node:assert/strict';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

const filler = 'Some words of ordinary prose go on for a while in this line of the text.\n';
/** Two megabytes with a chapter every hundred lines. */
const manual = Array.from({ length: 270 }, (_, number) => `## Chapter ${number}\n\n${filler.repeat(100)}\n`).join('');

describe('the search route, for more than hits', () => {
  let server: TestServer;
  let ada: HttpClient;
  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('says on request in which line and section the words of a hit stand, at the end of a long document, too', async () => {
    const content = `${manual}## Machines\n\nPump P-417 needs oil.\n`;
    await ada.create('manuals/long.md', content);
    for (const q of ['p-417', '"pump P-417 needs"', 'oil']) {
      const { json } = await ask(`q=${encodeURIComponent(q)}&places=true`);
      const [hit] = json.items;
      assert.deepEqual([hit.section, hit.line], ['machines', content.split('\n').length - 1], q);
      assert.match(hit.snippet, /P-417/);
    }
    const [plain] = (await ask('q=oil')).json.items;
    assert.ok(!('line' in plain) && !('section' in plain));
    await ada.post('/v1/documents?location=manuals/pump.png&media_type=image/png', Buffer.from([0, 1]));
    const named = (await ask('q=pump&kind=binary&places=true')).json.items;
    assert.deepEqual([named.length, 'line' in named[0]], [1, false]);
  });

  it('shows the places in one document, the best first, and nothing of others', async () => {
    const places = manual.replaceAll(/## Chapter (40|120|200)\n/g, '$&\nThe gearbox leaks.\n');
    const content = places.replace('## Chapter 90\n', '$&\nGearbox, gearbox oil and gearbox seals.\n');
    await ada.create('manuals/gears.md', content);
    await ada.create('manuals/other.md', 'A gearbox.');
    const { json } = await ask('q=gearbox&location=manuals/gears.md&places=true');
    const sections: string[] = json.items.map(({ section }: { section: string }) => section);
    assert.deepEqual(
      [sections[0], [...sections].sort()],
      ['chapter-90', ['chapter-120', 'chapter-200', 'chapter-40', 'chapter-90']],
    );
    assert.deepEqual(new Set(locationsOf({ json } as HttpAnswer)), new Set(['manuals/gears.md']));
    assert.equal(json.next_cursor, null);
    assert.equal((await ask('q=gearbox&location=manuals/gears.md&limit=2')).json.items.length, 2);
    assert.deepEqual((await ask('q=zebra&location=manuals/gears.md')).json.items, []);
    assert.equal((await ask('q=manuals&location=manuals/gears.md')).json.folders, undefined);
    const stranger = await server.person('reader', 'elsewhere');
    const hidden = await stranger.get('/v1/search?q=gearbox&location=manuals/gears.md');
    const absent = await stranger.get('/v1/search?q=gearbox&location=manuals/absent.md');
    assert.deepEqual([hidden.status, hidden.json], [absent.status, absent.json]);
  });

  it('takes the last word for the beginning of words where the query is still being typed', async () => {
    await ada.create('typed/a.md', 'Ptarmigans live in the mountains.');
    assert.deepEqual(locationsOf(await ask('q=ptarm&partial=true')), ['typed/a.md']);
    assert.deepEqual(locationsOf(await ask('q=ptarm')), []);
    assert.equal((await ask('q=x&partial=maybe')).status, 400);
  });

  it('ends a page early, and goes on by its cursor, where a phrase is looked for in much text', async () => {
    const text = 'The one of it is in the other. '.repeat(40_000);
    for (const name of 'abcdefghijklmnopqrstuv') await ada.create(`phrases/${name}.txt`, text);
    await ada.create('phrases/z.txt', `${text} To be or not to be.`);
    let [cursor, pages] = ['', 0];
    let found: string[] = [];
    do {
      const { json } = await ask(`q=${encodeURIComponent('"to be or not to be"')}&location=phrases${cursor}`);
      pages += 1;
      found = [...found, ...locationsOf({ json } as HttpAnswer)];
      cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
      assert.equal(json.did_you_mean, undefined);
    } while (cursor !== '');
    assert.deepEqual(found, ['phrases/z.txt']);
    assert.ok(pages >= 2, `${pages} pages`);
  });

  it('names words that were perhaps meant where it finds nothing, and none of hidden documents', async () => {
    await ada.create('open/a.md', 'Our Vacations are long.');
    await ada.create('open/b.md', 'A wallaby and its kin.');
    await ada.create('closed/c.md', 'The quokka sleeps.');
    const bob = await server.person('reader', 'open', 'Bob');
    const suggestedTo = async (client: HttpClient, q: string): Promise<unknown> =>
      (await client.get(`/v1/search?q=${q}`)).json.did_you_mean;
    assert.deepEqual(await suggestedTo(bob, 'vacatoins'), ['Vacations']);
    assert.deepEqual(await suggestedTo(ada, 'quoka'), ['quokka']);
    assert.equal(await suggestedTo(bob, 'quoka'), undefined);
    assert.equal(await suggestedTo(bob, 'wallaby+vacatoins'), undefined, 'something was found');
    const absent = await bob.get('/v1/search?q=xyzzyq');
    const hidden = await bob.get('/v1/search?q=quoka');
    assert.deepEqual(hidden.json, absent.json);
    const { items } = (await ada.get('/v1/audit?action=document.search&location=open/a.md&limit=1')).json;
    assert.equal(items[0].target, 'vacatoins', 'who is shown a word has read of its document');
  });

  function ask(query: string): Promise<HttpAnswer> {
    return ada.get(`/v1/search?${query}`);
  }

  function locationsOf({ json }: HttpAnswer): string[] {
    return json.items.map(({ location }: { location: string }) => location);
  }
});
