import assert from 'node:assert/strict';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdf, makePdfOf, makeStream } from '../support/files/make-pdf.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('The text of a document', function () {
  this.timeout(30_000);
  let service: TestServer;
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    service = await openTestServer();
  });
  beforeEach(async () => {
    server = await service.addWorkspace();
    ada = await server.person('approver', '', 'Ada');
  });
  after(() => service.close());

  const pdf = makePdf([['Travel by train'], ['Hotels']]);

  async function put(
    location: string,
    body: Buffer,
    mediaType = 'application/octet-stream',
    more: object = { 'If-None-Match': '*' },
  ): Promise<string> {
    const headers = { 'Content-Type': mediaType, ...more };
    const { status, json } = await ada.send('PUT', `/v1/files/${location}`, { body, headers });
    assert.ok(status === 200 || status === 201, JSON.stringify(json));
    return json.version.id as string;
  }

  it('is made of a PDF, as Markdown with a heading for each page', async () => {
    const version = await put('team/a.pdf', pdf);
    const { status, text, headers } = await ada.get('/v1/texts/team/a.pdf');
    assert.deepEqual([status, text], [200, '# Page 1\n\nTravel by train\n\n# Page 2\n\nHotels\n']);
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
    assert.deepEqual([headers['etag'], headers['x-text-cut']], [`"${version}+text.2.pdf"`, 'false']);
    assert.match(String(headers['content-security-policy']), /sandbox/);
    const section = await ada.get('/v1/texts/team/a.pdf?section=page-2');
    assert.equal(section.text, '# Page 2\n\nHotels\n');
    const none = await ada.get('/v1/texts/team/a.pdf?section=page-3');
    assert.deepEqual([none.status, none.json.error.details.reason], [400, 'no_such_section']);
  });

  it('is known by an ETag of its own, which no write takes', async () => {
    await put('team/a.pdf', pdf);
    const etag = String((await ada.get('/v1/texts/team/a.pdf')).headers['etag']);
    const again = await ada.get('/v1/texts/team/a.pdf', { 'If-None-Match': etag });
    assert.deepEqual([again.status, again.bytes.length, again.headers['etag']], [304, 0, etag]);
    const other = await ada.get('/v1/texts/team/a.pdf', { 'If-None-Match': etag.replace('+text.2.pdf', '') });
    assert.equal(other.status, 200);
    const write = await ada.send('PUT', '/v1/files/team/a.pdf', {
      body: Buffer.from('x'),
      headers: { 'If-Match': etag },
    });
    assert.equal(write.json.error.details.reason, 'stale_if_match');
  });

  it('of an older version is made of that version', async () => {
    const first = await put('team/a.docx', makeDocx(wordText('one')));
    await put('team/a.docx', makeDocx(wordText('two')), 'application/octet-stream', {
      'If-Match': `"${first}"`,
    });
    assert.equal((await ada.get('/v1/texts/team/a.docx')).text, 'two\n');
    assert.equal((await ada.get(`/v1/texts/team/a.docx?version=${first}`)).text, 'one\n');
  });

  it('is compared with that of another version, where both have one', async () => {
    const first = await put('team/a.docx', makeDocx(wordText('one')));
    const replace = (body: Buffer) => put('team/a.docx', body, undefined, { 'If-Match': '*' });
    const second = await replace(makeDocx(wordText('two')));
    const diff = async (query = ''): Promise<unknown> => {
      const { json } = await ada.get(`/v1/diffs?location=team/a.docx${query}`);
      const lines = json.diff?.hunks.flatMap((hunk: { lines: { kind: string; text: string }[] }) =>
        hunk.lines.map(({ kind, text }) => `${kind} ${text}`),
      );
      return [json.extracted, json.not_compared_because, lines];
    };
    assert.deepEqual(await diff(), [true, null, ['removed one', 'added two']]);
    assert.deepEqual(await diff(`&to=${first}`), [true, null, ['added one']]);
    assert.deepEqual(await diff(`&from=${first}&to=${first}`), [undefined, 'binary', undefined], 'the same file');
    await replace(Buffer.from([0, 1, 2]));
    assert.deepEqual(await diff(`&from=${second}`), [undefined, 'binary', undefined], 'no text');
    await replace(makeDocx(wordText('long '.repeat(220_000))));
    assert.deepEqual(await diff(`&from=${second}`), [undefined, 'too_large', undefined]);
    const rita = await server.person('reader', 'other', 'Rita');
    const answers = await Promise.all(
      ['team/a.docx', 'team/none.docx'].map((at) => rita.get(`/v1/diffs?location=${at}`)),
    );
    const [hidden, absent] = answers.map(({ status, json }) => [status, { ...json.error, request_id: '' }]);
    assert.deepEqual(hidden, absent);
  });

  it('that is asked for in many comparisons at once waits for none of them', async () => {
    const ids: string[] = [];
    for (let version = 0; version < 6; version += 1) {
      const more = version === 0 ? undefined : { 'If-Match': '*' };
      ids.push(await put('team/a.docx', makeDocx(wordText(`version ${version}`)), undefined, more));
    }
    const asked = ids.slice(1).map((id) => ada.get(`/v1/diffs?location=team/a.docx&from=${ids[0]}&to=${id}`));
    for (const { status, json } of await Promise.all(asked)) assert.deepEqual([status, json.extracted], [200, true]);
  });

  it('is the document where it is text, and what is shown where it is a page', async () => {
    await put('team/a.md', Buffer.from('# One\ntext\n# Two\nmore\n'), 'text/markdown');
    assert.equal((await ada.get('/v1/texts/team/a.md?section=two')).text, '# Two\nmore\n');
    await put('team/a.html', Buffer.from('<h1>Plan</h1><p>by <b>train</b></p>'), 'text/html');
    assert.equal((await ada.get('/v1/texts/team/a.html')).text, '# Plan\nby train\n');
    await put('team/a.csv', Buffer.from('h\xe9', 'latin1'), 'text/csv; charset=iso-8859-1');
    assert.equal((await ada.get('/v1/texts/team/a.csv')).text, 'hé');
  });

  it('that is not there is refused with the state and the reason', async () => {
    const files: readonly (readonly [string, Buffer, object])[] = [
      ['picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), { state: 'none' }],
      ['scan.pdf', makePdfOf([makeStream('0 0 m 10 10 l S')]), { state: 'failed', reason: 'no_text' }],
      ['bad.docx', Buffer.from([1, 2, 3, 0]), { state: 'failed', reason: 'damaged' }],
      ['old.doc', Buffer.from([1, 2, 3, 0]), { state: 'failed', reason: 'old_format' }],
    ];
    for (const [name, bytes, text] of files) {
      await put(`team/${name}`, bytes);
      const { status, json } = await ada.get(`/v1/texts/team/${name}`);
      assert.deepEqual(
        [status, json.error.code, json.error.details],
        [400, 'INVALID_REQUEST', { reason: 'no_text', text }],
        name,
      );
    }
  });

  it('out of reach is answered like one that is absent, whatever its file is', async () => {
    await put('hidden/a.pdf', pdf);
    await put('hidden/bad.pdf', Buffer.from('%PDF-1.7'));
    await put('team/a.pdf', pdf);
    const rita = await server.person('reader', 'team', 'Rita');
    assert.equal((await rita.get('/v1/texts/team/a.pdf')).status, 200);
    const answers = await Promise.all(
      ['hidden/a.pdf', 'hidden/bad.pdf', 'hidden/none.pdf', 'team/none.pdf'].map((at) => rita.get(`/v1/texts/${at}`)),
    );
    for (const { status, json } of answers) {
      const { request_id: _, ...error } = json.error;
      assert.deepEqual([status, error], [404, { code: 'NOT_FOUND', message: answers[3]?.json.error.message }]);
    }
  });

  it('is a read of the document in the audit log, with its form', async () => {
    await put('team/a.pdf', pdf);
    await put('team/b.png', Buffer.from([0x89, 0]));
    const before = server.records().length;
    await ada.get('/v1/texts/team/a.pdf');
    await ada.get('/v1/texts/team/b.png');
    const records = server
      .records()
      .slice(before)
      .map(({ record, text }) => [record.action, record.outcome, text?.target, text?.detail]);
    assert.deepEqual(records, [
      ['document.read', 'done', 'team/a.pdf', '{"form":"text"}'],
      ['document.read', 'refused', 'team/b.png', '{"form":"text","reason":"no_text"}'],
    ]);
  });

  it('that failed is made again for an editor, and once, however often that is asked', async () => {
    await put('team/bad.docx', Buffer.from([1, 2, 3, 0]));
    await put('team/a.pdf', pdf);
    await put('team/b.png', Buffer.from([0x89, 0]));
    await made();
    const bob = await server.person('editor', 'team', 'Bob');
    const retry = (at: string, as = bob) => as.post(`/v1/texts/${at}`, undefined);
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => retry('team/bad.docx')));
    assert.deepEqual([first?.status, first?.json], [200, { location: 'team/bad.docx', text: { state: 'waiting' } }]);
    for (const { json } of others) assert.ok(['waiting', 'failed'].includes(json.text.state));
    await made();
    assert.deepEqual((await retry('team/a.pdf')).json.text.state, 'done');
    assert.equal((await retry('team/b.png')).refusal, 'INVALID_REQUEST no_text');
    const records = server.records().filter(({ record }) => record.action === 'document.retry_text');
    assert.equal(records.length, 22);
    const { record, text } = records[0]!;
    assert.deepEqual([record.outcome, text?.target, text?.detail], ['done', 'team/bad.docx', '{"state":"waiting"}']);
  });

  it('is made again for no reader, and nothing tells that it is there to who does not reach it', async () => {
    await put('team/bad.docx', Buffer.from([1, 2, 3, 0]));
    await put('hidden/bad.docx', Buffer.from([1, 2, 3, 0]));
    await put('hidden/a.pdf', pdf);
    await made();
    const rita = await server.person('reader', 'team', 'Rita');
    const places = ['team/bad.docx', 'hidden/bad.docx', 'hidden/a.pdf', 'hidden/none.pdf', 'none.pdf'];
    const answers = await Promise.all(places.map((at) => rita.post(`/v1/texts/${at}`, undefined)));
    const bare = answers.map(({ status, json }) => [status, { ...json.error, request_id: '' }]);
    for (const answer of bare) assert.deepEqual(answer, bare[4]);
    assert.equal(answers[0]?.status, 404);
  });

  async function made(): Promise<void> {
    const { search, texts } = server.host.workspace;
    await search.settled();
    await texts.files.settled();
  }

  it('does not come where the reach ends while it is made', async () => {
    const places = Array.from(
      { length: 90_000 },
      (_, index) => `1 0 0 1 ${(index * 97) % 600} ${(index * 61) % 780} Tm (word) Tj`,
    );
    await put('team/slow.pdf', makePdfOf([makeStream(`BT /F1 1 Tf ${places.join(' ')} ET`)]));
    const rita = await server.person('reader', 'team', 'Rita');
    const reading = rita.get('/v1/texts/team/slow.pdf');
    // The document is deleted before its text is there.
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await ada.delete('/v1/documents/team/slow.pdf')).status, 200);
    assert.equal((await reading).status, 404);
  });
});
