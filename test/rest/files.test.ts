import assert from 'node:assert/strict';
import { createHash, randomFillSync } from 'node:crypto';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

const absent = { 'If-None-Match': '*' };

describe('the bytes of a document at an address of their own', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer({ store: 'disk-without-git' });
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('are created with If-None-Match: * alone, under the sent media type or a guessed one', async () => {
    for (const [location, type, mediaType, kind] of [
      ['n/a.md', undefined, 'text/markdown; charset=utf-8', 'text'],
      ['n/b.md', 'application/x-www-form-urlencoded', 'text/markdown; charset=utf-8', 'text'],
      ['n/plain', 'application/octet-stream', 'text/plain; charset=utf-8', 'text'],
      ['n/d.json', 'application/json', 'application/json', 'text'],
      ['n/e', 'Image/PNG', 'image/png', 'text'],
      ['n/f', 'text/x-notes;charset=latin1', 'text/x-notes;charset=latin1', 'text'],
    ] as const) {
      const made = await put(location, '{"a":1,"a":2}', {
        ...absent,
        ...(type === undefined ? {} : { 'Content-Type': type }),
      });
      assert.deepEqual([made.status, made.json.media_type, made.json.kind], [201, mediaType, kind], location);
      assert.equal(made.headers['location'], `/v1/documents/${location}`);
      const read = await ada.get(`/v1/files/${location}`);
      assert.deepEqual([read.text, read.headers['content-type']], ['{"a":1,"a":2}', mediaType]);
      assert.equal(read.etag, made.etag);
    }
    const bad = await put('n/g', 'x', { ...absent, 'Content-Type': 'nonsense' });
    assert.equal(bad.refusal, 'INVALID_REQUEST bad_field');
    const zipped = await put('n/g', 'x', { ...absent, 'Content-Encoding': 'gzip' });
    assert.equal(zipped.refusal, 'INVALID_REQUEST unsupported_media_type');
  });

  it('are the whole document: an envelope, a part, a patch and an encoding of it are refused, with the way out', async () => {
    const { etag } = await put('whole.md', 'as it was', absent);
    for (const [header, value, refusal, says] of [
      ['Content-Type', 'multipart/form-data; boundary=x', 'unsupported_media_type', /an envelope.*curl -T FILE/],
      ['Content-Type', 'Multipart/Related', 'unsupported_media_type', /an envelope/],
      ['Content-Type', 'message/partial; id=1; number=1', 'unsupported_media_type', /leave out Content-Type/],
      ['Content-Type', 'application/json-patch+json', 'unsupported_media_type', /a patch/],
      ['Content-Encoding', 'aws-chunked', 'unsupported_media_type', /not compressed/],
      ['Content-Transfer-Encoding', 'base64', 'bad_field', /not encoded/],
      ['Content-Range', 'bytes 0-3/9', 'bad_field', /a part.*whole document in one request/],
      ['Upload-Offset', '0', 'bad_field', /a part/],
      ['Upload-Complete', '?0', 'bad_field', /a part/],
      ['OC-Chunked', '1', 'bad_field', /by the header Oc-Chunked/],
      ['X-Amz-Content-Sha256', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'bad_field', /in signed pieces/],
      ['X-HTTP-Method-Override', 'PATCH', 'bad_field', /another method/],
    ] as const) {
      for (const condition of [absent, { 'If-Match': etag }]) {
        const location = condition === absent ? 'not-whole.md' : 'whole.md';
        const refused = await put(location, '--x', { ...condition, [header]: value });
        assert.equal(refused.refusal, `INVALID_REQUEST ${refusal}`, `${header}: ${value}`);
        assert.match(refused.json.error.message, says);
      }
    }
    assert.equal((await ada.get('/v1/files/whole.md')).text, 'as it was');
    assert.equal((await ada.get('/v1/files/not-whole.md')).refusal, 'NOT_FOUND');
    for (const [header, value] of [
      ['Content-Encoding', 'identity'],
      ['Content-Transfer-Encoding', 'binary'],
      ['Upload-Complete', '?1'],
      ['X-HTTP-Method-Override', 'PUT'],
    ] as const) {
      assert.equal((await put(`as-is/${header}`, 'x', { ...absent, [header]: value })).status, 201, header);
    }
  });

  it('are refused where they do not have the hash that their head states', async () => {
    const stated = (text: string): string => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
    for (const header of ['Content-Digest', 'Repr-Digest']) {
      const location = `hashed/${header}`;
      const other = await put(location, 'cut sho', { ...absent, [header]: stated('cut short') });
      assert.deepEqual([other.refusal, other.json.error.details.field], ['INVALID_REQUEST bad_field', header]);
      const odd = await put(location, 'x', { ...absent, [header]: 'sha-256=abc' });
      assert.match(odd.json.error.message, /sha-256=:BASE64:/);
      assert.equal((await put(location, 'x', { ...absent, [header]: stated('x') })).status, 201);
    }
    const keyed = { ...absent, 'Idempotency-Key': 'hashed', 'Content-Digest': stated('large') };
    const large = 'l'.repeat(2_000_000);
    assert.equal((await put('hashed/large', large, keyed)).refusal, 'INVALID_REQUEST bad_field');
    assert.equal((await put('hashed/large', 'large', keyed)).status, 201);
  });

  it('are not created twice by a retry, and a retry with its key gets the first answer', async () => {
    const first = await put('retry/a.md', 'one', absent);
    const again = await put('retry/a.md', 'one', absent);
    assert.deepEqual([again.refusal, again.status], ['CONFLICT name_taken', 409]);
    assert.equal((await ada.get('/v1/files/retry/a.md')).etag, first.etag);
    const keyed = { ...absent, 'Idempotency-Key': 'upload-1', 'Content-Type': 'text/x-notes' };
    const made = await put('retry/b.md', 'two', keyed);
    const replay = await put('retry/b.md', 'two', keyed);
    assert.deepEqual([replay.status, replay.etag, replay.headers['idempotent-replayed']], [201, made.etag, 'true']);
    for (const other of [
      put('retry/b.md', 'other', keyed),
      put('retry/c.md', 'two', keyed),
      put('retry/b.md', 'two', { ...keyed, 'Content-Type': 'text/x-other' }),
    ]) {
      assert.equal((await other).refusal, 'CONFLICT idempotency_key_reused');
    }
    const racing = await Promise.all([1, 2, 3].map((number) => put('retry/race.md', `${number}`, absent)));
    assert.deepEqual(racing.map(({ status }) => `${status}`).toSorted(), ['201', '409', '409']);
  });

  it('are replaced under If-Match, and keep their media type where none is sent', async () => {
    const made = await put('up.txt', 'one', { ...absent, 'Content-Type': 'text/x-notes' });
    const kept = await put('up.txt', 'two', { 'If-Match': made.etag });
    assert.deepEqual([kept.status, kept.json.media_type], [200, 'text/x-notes']);
    const stale = await put('up.txt', 'three', { 'If-Match': made.etag });
    assert.deepEqual([stale.refusal, stale.etag], ['CONFLICT stale_if_match', kept.etag]);
    const named = await put('up.txt?message=A%20note', '# four', {
      'If-Match': kept.etag,
      'Content-Type': 'text/markdown',
    });
    assert.deepEqual([named.json.media_type, named.json.version.message], ['text/markdown', 'A note']);
    assert.equal((await put('none.txt', 'x', { 'If-Match': '*' })).refusal, 'NOT_FOUND');
  });

  it('need exactly one precondition', async () => {
    for (const [headers, refusal] of [
      [{}, 'INVALID_REQUEST missing_if_match'],
      [{ 'If-None-Match': '"x"' }, 'INVALID_REQUEST bad_field'],
      [{ ...absent, 'If-Match': '*' }, 'INVALID_REQUEST bad_field'],
      [{ ...absent, 'Idempotency-Key': 'a\tb' }, 'INVALID_REQUEST bad_field'],
    ] as const) {
      assert.equal((await put('one.md', 'x', headers)).refusal, refusal, JSON.stringify(headers));
    }
    const document = await ada.send('PUT', '/v1/documents/one.md', { body: { content: 'x' }, headers: absent });
    assert.equal(document.refusal, 'INVALID_REQUEST missing_if_match', 'a document itself is created by POST alone');
    assert.match(document.json.error.message, /To create a document, use POST \/v1\/documents/);
    assert.equal((await ada.get('/v1/files/one.md')).refusal, 'NOT_FOUND');
  });

  it('stream both ways, in whole and in part', async () => {
    const bytes = randomFillSync(Buffer.alloc(3_000_000));
    const made = await put('large.bin', bytes, absent);
    assert.deepEqual([made.status, made.json.sha256], [201, hash(bytes)]);
    assert.equal(hash((await ada.get('/v1/files/large.bin')).bytes), hash(bytes));
    const part = await ada.get('/v1/files/large.bin', { Range: 'bytes=1234567-2345678', 'If-Range': made.etag });
    assert.deepEqual([part.status, part.headers['content-range']], [206, 'bytes 1234567-2345678/3000000']);
    assert.ok(part.bytes.equals(bytes.subarray(1234567, 2345679)));
    const head = await ada.head('/v1/files/large.bin');
    assert.deepEqual([head.status, head.headers['content-length'], head.bytes.length], [200, '3000000', 0]);
  });

  it('of an empty document are sent as they are for every range', async () => {
    await put('empty.txt', '', absent);
    for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-5', 'bytes=5-']) {
      const read = await ada.get('/v1/files/empty.txt', { Range: range });
      assert.deepEqual([read.status, read.headers['content-length'], read.text], [200, '0', ''], range);
    }
  });

  it('are refused for a range past the end, with the length', async () => {
    const { etag } = await put('short.txt', 'fifteen bytes..', absent);
    const read = (range: string, more = {}): Promise<HttpAnswer> =>
      ada.get('/v1/files/short.txt', { Range: range, ...more });
    for (const range of ['bytes=15-', 'bytes=99-100', 'bytes=-0']) {
      const { refusal, json, headers } = await read(range);
      assert.equal(refusal, 'INVALID_REQUEST range_not_satisfiable', range);
      assert.deepEqual([json.error.details.size, headers['content-range']], [15, 'bytes */15']);
      const { record } = server.records().at(-1) ?? assert.fail('there is no record');
      assert.deepEqual([record.action, record.outcome], ['document.read', 'refused']);
    }
    assert.equal((await read('bytes=15-', { 'If-Range': etag })).status, 400);
    for (const range of ['bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-']) {
      assert.equal((await read(range)).status, 200, range);
    }
    assert.equal((await read('bytes=15-', { 'If-Range': '"other"' })).status, 200);
    assert.equal((await read('bytes=15-', { 'If-None-Match': etag })).status, 304);
    assert.equal(
      (await ada.get('/v1/documents/short.txt', { Accept: 'application/octet-stream', Range: 'bytes=15-' })).status,
      200,
    );
  });

  it('are marked for caches and browsers, and saved where the request says so', async () => {
    server.host.clock.advance(5000);
    const { json } = await put('note.md', '# Note', absent);
    const { headers } = await ada.get('/v1/files/note.md');
    assert.deepEqual(
      [headers['last-modified'], headers['vary'], headers['cache-control'], headers['x-content-type-options']],
      [new Date(json.updated_at as string).toUTCString(), 'Accept-Encoding', 'private, no-cache', 'nosniff'],
    );
    assert.match(String(headers['content-security-policy']), /sandbox/);
    const dispositionOf = async (query: string) =>
      (await ada.get(`/v1/files/note.md${query}`)).headers['content-disposition'];
    assert.equal(await dispositionOf(''), 'inline; filename="note.md"');
    assert.equal(await dispositionOf('?download=false'), 'inline; filename="note.md"');
    assert.equal(await dispositionOf('?download=true'), 'attachment; filename="note.md"');
    assert.equal((await ada.get('/v1/files/note.md?download=1')).refusal, 'INVALID_REQUEST bad_field');
    assert.equal((await ada.get('/v1/documents/note.md')).headers['last-modified'], headers['last-modified']);
  });

  it('the bytes of every version of a document can be read', async () => {
    const first = await put('v.md', 'one', absent);
    await put('v.md', 'two', { 'If-Match': '*' });
    const old = await ada.get(`/v1/files/v.md?version=${first.json.version.id}`);
    assert.deepEqual([old.text, old.etag], ['one', first.etag]);
    const known = await ada.get('/v1/files/v.md', { 'If-None-Match': `W/${first.etag}` });
    assert.equal(known.text, 'two');
  });

  it('show nothing of a document outside the reach, to readers and writers', async () => {
    const reader = await server.person('reader', 'shown');
    await put('hidden/a.md', 'secret', absent);
    await put('shown/a.md', 'open', absent);
    const shown = (answer: HttpAnswer): unknown => {
      const { 'x-request-id': id, date: _, 'x-ratelimit-remaining': left, ...headers } = answer.headers;
      assert.ok(left !== undefined);
      return [answer.status, headers, answer.text.replaceAll(String(id), '')];
    };
    for (const ask of [
      (place: string) => reader.get(`/v1/files/${place}`),
      (place: string) => reader.head(`/v1/files/${place}`),
      (place: string) => reader.get(`/v1/files/${place}`, { Range: 'bytes=100-' }),
      (place: string) => reader.send('PUT', `/v1/files/${place}`, { body: 'x', headers: absent }),
      (place: string) => reader.send('PUT', `/v1/files/${place}`, { body: 'x', headers: { 'If-Match': '*' } }),
    ]) {
      const [hidden, none] = [await ask('hidden/a.md'), await ask('hidden/b.md')];
      assert.equal(hidden.status, 404);
      assert.deepEqual(shown(hidden), shown(none));
    }
    const refused = await reader.send('PUT', '/v1/files/shown/a.md', { body: 'x', headers: { 'If-Match': '*' } });
    assert.equal(refused.refusal, 'NOT_FOUND');
    assert.equal((await ada.get('/v1/files/hidden/a.md')).text, 'secret');
  });

  /** Sends bytes under a media type, or under none. */
  function put(location: string, body: string | Buffer, headers: Readonly<Record<string, string>>) {
    const type = headers['Content-Type'];
    return ada.send('PUT', `/v1/files/${location}`, {
      body: Buffer.from(body),
      headers: { 'Content-Type': type ?? '', ...headers },
    });
  }
});

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
