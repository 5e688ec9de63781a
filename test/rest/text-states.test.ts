import assert from 'node:assert/strict';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdf, makePdfOf, makeStream } from '../support/files/make-pdf.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { HeldExtractor } from '../support/store/held-extractor.js';

describe('The state of a text in the record of its document', function () {
  this.timeout(30_000);
  for (const store of ['memory', 'disk'] as const) {
    describe(`of a service on ${store}`, () => {
      let extractor: HeldExtractor;
      let service: TestServer;
      let server: TestServer;
      let ada: HttpClient;

      before(async () => {
        extractor = new HeldExtractor();
        service = await openTestServer({ store, extractor });
      });
      beforeEach(async () => {
        server = await service.addWorkspace();
        ada = await server.person('approver', '', 'Ada');
      });
      afterEach(() => extractor.release());
      after(() => service.close());

      const pdf = makePdf([['Travel by train'], ['Hotels']]);
      const scan = makePdfOf([makeStream('0 0 m 10 10 l S')]);
      const docx = makeDocx(wordText('Quokkas are small'));

      async function put(location: string, body: Buffer, more: object = { 'If-None-Match': '*' }): Promise<string> {
        const { json } = await ada.send('PUT', `/v1/files/${location}`, { body, headers: { ...more } });
        return json.version.id as string;
      }

      async function made(): Promise<void> {
        const { search, texts } = server.host.workspace;
        await search.settled();
        await texts.files.settled();
      }

      async function stateOf(location: string, as = ada): Promise<unknown> {
        return (await as.get(`/v1/documents/${location}`)).json.text;
      }

      it('is waiting until the text is made, and then says how long it is, or why there is none', async () => {
        extractor.hold();
        await put('a.pdf', pdf);
        await put('b.docx', docx);
        await put('scan.pdf', scan);
        for (const name of ['a.pdf', 'b.docx', 'scan.pdf']) {
          assert.deepEqual(await stateOf(name), { state: 'waiting' }, name);
        }
        extractor.release();
        await made();
        const { text } = await ada.get('/v1/texts/a.pdf');
        assert.deepEqual(await stateOf('a.pdf'), { state: 'done', pages: 2, characters: text.length, is_cut: false });
        assert.deepEqual(await stateOf('b.docx'), { state: 'done', characters: 18, is_cut: false });
        assert.deepEqual(await stateOf('scan.pdf'), { state: 'failed', reason: 'no_text' });
      });

      it('is none for a picture, and left out for text', async () => {
        await put('a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]));
        await put('a.md', Buffer.from('# A'));
        assert.deepEqual(await stateOf('a.png'), { state: 'none' });
        assert.ok(!('text' in (await ada.get('/v1/documents/a.md')).json));
      });

      it('follows the current version alone, and is in no list and no answer to a write', async () => {
        const first = await put('a.docx', docx);
        await made();
        extractor.hold();
        const headers = { 'If-Match': '*' };
        const written = await ada.send('PUT', '/v1/files/a.docx', { body: makeDocx(wordText('Herons')), headers });
        assert.ok(!('text' in written.json));
        assert.deepEqual(await stateOf('a.docx'), { state: 'waiting' });
        assert.equal(await stateOf(`a.docx?version=${first}`), undefined);
        const { items } = (await ada.get('/v1/documents?location=')).json;
        assert.deepEqual(
          items.map((item: object) => 'text' in item),
          [false],
        );
      });

      it('comes also to who has the version already', async () => {
        extractor.hold();
        const known = { 'If-None-Match': `"${await put('a.docx', docx)}"` };
        assert.equal((await ada.get('/v1/documents/a.docx', known)).json.text.state, 'waiting');
        extractor.release();
        await made();
        const { status, json } = await ada.get('/v1/documents/a.docx', known);
        assert.deepEqual([status, json.text.state], [200, 'done']);
        assert.equal((await ada.get('/v1/files/a.docx', known)).status, 304, 'bytes do not change');
        const bytes = { ...known, Accept: 'application/octet-stream' };
        assert.equal((await ada.get('/v1/documents/a.docx', bytes)).status, 304);
        const { headers } = await ada.head('/v1/documents/a.docx');
        const whole = await ada.get('/v1/documents/a.docx');
        assert.equal(headers['content-length'], String(whole.bytes.length));
      });

      it('is that of a document of its own, whatever hidden documents of the same bytes have', async () => {
        await put('hidden/a.docx', docx);
        await put('hidden/scan.pdf', scan);
        await made();
        extractor.hold();
        await put('team/a.docx', docx);
        const rita = await server.person('reader', 'team', 'Rita');
        assert.deepEqual(await stateOf('team/a.docx', rita), { state: 'waiting' });
        const [hidden, absent] = await Promise.all(
          ['hidden/a.docx', 'hidden/none.docx'].map((at) => rita.get(`/v1/documents/${at}`)),
        );
        const withoutId = (json: { error: { request_id: string } }) => ({ ...json.error, request_id: '' });
        assert.deepEqual([hidden?.status, withoutId(hidden?.json)], [404, withoutId(absent?.json)]);
      });
    });
  }
});
