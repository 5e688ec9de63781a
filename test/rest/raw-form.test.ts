import assert from 'node:assert/strict';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { operator } from '../support/store/service.js';
import { createHash, randomFillSync } from 'node:crypto';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { RawConnection } from '../support/http/raw-connection.js';

const raw = { Accept: 'application/octet-stream' };

describe('the raw form over REST', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer({ store: 'disk-without-git' });
    ada = await server.person('approver');
    await ada.create('a.md', '# Title\n\nText.\n');
  });
  after(() => server.close());

  it('takes no part and no encoding of a document for the whole', async () => {
    const etag = (await ada.get('/v1/documents/a.md')).etag;
    for (const [header, value] of [
      ['Content-Range', 'bytes 0-3/9'],
      ['Content-Transfer-Encoding', 'base64'],
    ] as const) {
      const headers = { 'If-Match': etag, 'Content-Type': 'application/octet-stream', [header]: value };
      const part = await ada.send('PUT', '/v1/documents/a.md', { body: Buffer.from('part'), headers });
      assert.deepEqual([part.refusal, part.json.error.details.field], ['INVALID_REQUEST bad_field', header]);
    }
    assert.equal((await ada.get('/v1/documents/a.md')).etag, etag);
  });

  it('gives the bytes alone, under their own media type, and marks it for caches and browsers', async () => {
    const { status, text, headers, etag } = await ada.get('/v1/documents/a.md', raw);
    assert.deepEqual([status, text], [200, '# Title\n\nText.\n']);
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
    assert.equal(headers['content-length'], '15');
    assert.deepEqual(
      [headers['accept-ranges'], headers['vary'], headers['cache-control'], headers['x-content-type-options']],
      ['bytes', 'Accept, Accept-Encoding', 'private, no-cache', 'nosniff'],
    );
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*sandbox/);
    assert.equal(etag, (await ada.get('/v1/documents/a.md')).etag);
  });

  it('is given only when it alone is accepted', async () => {
    for (const accept of ['application/octet-stream;q=0.5', 'Application/Octet-Stream']) {
      assert.equal((await ada.get('/v1/documents/a.md', { Accept: accept })).json, undefined, accept);
    }
    for (const accept of ['*/*', 'application/octet-stream, */*', 'application/*', 'text/markdown', '']) {
      assert.ok((await ada.get('/v1/documents/a.md', { Accept: accept })).json.content, accept);
    }
  });

  it('has headers of its own for HEAD, with the length', async () => {
    const { headers, bytes } = await ada.head('/v1/documents/a.md', raw);
    assert.deepEqual([headers['content-length'], bytes.length], ['15', 0]);
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
  });

  it('lets a browser show only harmless types, and names the download', async () => {
    await perform(server.host.workspace, operator, changePolicy, { portableNames: false });
    const html = '<script>alert(1)</script>';
    await ada.post('/v1/documents', { location: 'page.html', content: html });
    await ada.post('/v1/documents', { location: 'naïve "plan".svg', content: '<svg/>' });
    const page = await ada.get('/v1/documents/page.html', raw);
    assert.equal(page.headers['content-disposition'], 'attachment; filename="page.html"');
    const image = await ada.get('/v1/documents/na%C3%AFve%20%22plan%22.svg', raw);
    assert.equal(
      image.headers['content-disposition'],
      `attachment; filename="na_ve _plan_.svg"; filename*=UTF-8''na%C3%AFve%20%22plan%22.svg`,
    );
    const note = await ada.get('/v1/documents/a.md', raw);
    assert.equal(note.headers['content-disposition'], 'inline; filename="a.md"');
  });

  it('calls no text a film, a sound or a picture, for any ending, and no bytes a text', async () => {
    for (const [name, content, mediaType, disposition] of [
      ['main.ts', 'const one = 1;\n', 'text/plain; charset=utf-8', 'inline'],
      ['list.m3u', 'a.ogg\n', 'text/plain; charset=utf-8', 'inline'],
      ['later.png', 'Picture to come.\n', 'text/plain; charset=utf-8', 'inline'],
      ['drawing.svg', '<svg/>', 'image/svg+xml', 'attachment'],
      ['page.html', '<p>', 'text/html; charset=utf-8', 'attachment'],
      ['query.sql', 'select 1;', 'application/sql', 'attachment'],
      ['film.ts', Buffer.from([0x47, 0, 0xff]), 'video/mp2t', 'attachment'],
      ['notes.md', Buffer.from([0, 0xff]), 'application/octet-stream', 'attachment'],
    ] as const) {
      const location = `types/${name}`;
      const made =
        typeof content === 'string'
          ? await ada.create(location, content)
          : await ada.post(`/v1/documents?location=${location}`, content);
      assert.equal(made.json.media_type, mediaType, name);
      const { headers } = await ada.get(`/v1/documents/${location}`, raw);
      assert.equal(headers['content-type'], mediaType, name);
      assert.match(String(headers['content-disposition']), new RegExp(`^${disposition};`), name);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['content-security-policy']), /sandbox/);
    }
  });

  describe('ranges', () => {
    const ranges: [string, string | undefined, string][] = [
      ['bytes=0-6', 'bytes 0-6/15', '# Title'],
      ['bytes=9-', 'bytes 9-14/15', 'Text.\n'],
      ['bytes=-6', 'bytes 9-14/15', 'Text.\n'],
      ['bytes=-100', 'bytes 0-14/15', '# Title\n\nText.\n'],
      ['bytes=14-100', 'bytes 14-14/15', '\n'],
      ['Bytes=2-2', 'bytes 2-2/15', 'T'],
    ];
    for (const [range, contentRange, text] of ranges) {
      it(`gives ${range} as 206`, async () => {
        const part = await ada.get('/v1/documents/a.md', { ...raw, Range: range });
        assert.deepEqual([part.status, part.headers['content-range'], part.text], [206, contentRange, text]);
        assert.equal(part.headers['content-length'], String(text.length));
      });
    }

    for (const range of ['bytes=15-', 'bytes=5-2', 'bytes=-0', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=a-b', 'bytes=-']) {
      it(`ignores ${range} and gives the whole with 200`, async () => {
        const whole = await ada.get('/v1/documents/a.md', { ...raw, Range: range });
        assert.deepEqual([whole.status, whole.text.length], [200, 15]);
      });
    }

    it('heeds If-Range only while the ETag is the current one', async () => {
      const { etag } = await ada.get('/v1/documents/a.md');
      const part = async (condition: string): Promise<number> =>
        (await ada.get('/v1/documents/a.md', { ...raw, Range: 'bytes=0-1', 'If-Range': condition })).status;
      assert.equal(await part(etag), 206);
      assert.equal(await part(`W/${etag}`), 200);
      assert.equal(await part('"other"'), 200);
      assert.equal(await part('Sat, 01 Jan 2050 00:00:00 GMT'), 200);
    });

    it('has no effect on JSON, nor on HEAD', async () => {
      assert.equal((await ada.get('/v1/documents/a.md', { Range: 'bytes=0-1' })).status, 200);
      assert.equal((await ada.head('/v1/documents/a.md', { ...raw, Range: 'bytes=0-1' })).status, 200);
    });
  });

  describe('of large content', () => {
    const bytes = makeBytes(3_000_000);
    before(async () => {
      const { status, json } = await ada.post('/v1/documents?location=large.bin', bytes);
      assert.deepEqual([status, json.size, json.sha256], [201, bytes.length, hash(bytes)]);
    });

    it('streams content that was uploaded as a stream', async () => {
      const whole = await ada.get('/v1/documents/large.bin', raw);
      assert.equal(hash(whole.bytes), hash(bytes));
      assert.equal(whole.headers['content-length'], '3000000');
    });

    it('cuts a range out of the middle', async () => {
      const part = await ada.get('/v1/documents/large.bin', { ...raw, Range: 'bytes=1234567-2345678' });
      assert.equal(part.status, 206);
      assert.ok(part.bytes.equals(bytes.subarray(1234567, 2345679)));
    });

    it('is still given as JSON up to the limit for that', async () => {
      const { json } = await ada.get('/v1/documents/large.bin');
      assert.equal(hash(Buffer.from(json.content, 'base64')), hash(bytes));
    });

    it('is never cut for JSON: over the limit the answer names the raw form', async () => {
      const large = makeBytes(11_000_000);
      await ada.post('/v1/documents?location=larger.bin', large);
      for (const method of ['HEAD', 'GET']) {
        const refused = await ada.send(method, '/v1/documents/larger.bin');
        assert.equal(refused.status, 400);
        const { record } = server.records().at(-1) ?? assert.fail('there is no record');
        assert.equal(record.request_id, refused.headers['x-request-id']);
        const { action, outcome, code, version } = record;
        assert.deepEqual([action, outcome, code, version], ['document.read', 'refused', 'INVALID_REQUEST', null]);
      }
      const { json, refusal } = await ada.get('/v1/documents/larger.bin');
      assert.equal(refusal, 'INVALID_REQUEST use_raw_form');
      assert.deepEqual([json.error.details.limit, json.error.details.size], [10_485_760, 11_000_000]);
      const whole = await ada.get('/v1/documents/larger.bin', raw);
      assert.equal(hash(whole.bytes), hash(large));
      const had = { 'If-None-Match': whole.etag };
      assert.equal((await ada.get('/v1/documents/larger.bin', had)).status, 304);
      assert.equal((await ada.head('/v1/documents/larger.bin', had)).status, 304);
    });

    it('is released when the reader leaves in the middle', async () => {
      const { key } = await server.host.person('reader');
      for (let round = 0; round < 5; round += 1) {
        const connection = await RawConnection.open(server.rest.port);
        connection.write(
          `GET /v1/documents/larger.bin HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nAccept: application/octet-stream\r\n\r\n`,
        );
        connection.reset();
      }
      const left: HttpAnswer = await ada.get('/v1/folders');
      assert.equal(left.status, 200);
      assert.deepEqual(
        server.log.filter(({ level }) => level === 'error'),
        [],
      );
    });
  });

  it('is broken off, never ended, when its source fails in the middle, and the log says why', async () => {
    const broken = await openTestServer({ store: 'disk-without-git' });
    try {
      const bob = await broken.person('editor');
      await bob.post('/v1/documents?location=damaged.bin', randomFillSync(Buffer.alloc(4_000_000)));
      const objects = join(broken.host.dataFolder ?? '', 'acme', 'content.git', 'objects');
      const files = (readdirSync(objects, { recursive: true }) as string[]).map((name) => join(objects, name));
      const large = files.filter((file) => statSync(file).size > 3_000_000);
      assert.equal(large.length, 1);
      for (const file of large) truncateSync(file, 3_000_000);
      await assert.rejects(bob.get('/v1/documents/damaged.bin', raw), { code: 'ECONNRESET' });
      const [line] = broken.log.filter(({ level }) => level === 'error');
      assert.match(String(line?.fields['id']), /^req_/);
      assert.equal((await bob.get('/v1/folders')).status, 200);
    } finally {
      await broken.close();
    }
  });

  it('asks for the location in the query, and takes neither labels nor a query beside JSON', async () => {
    assert.equal((await ada.post('/v1/documents', Buffer.from('x'))).refusal, 'INVALID_REQUEST missing_field');
    const labels = await ada.post('/v1/documents?location=l.md&labels=a', Buffer.from('x'));
    assert.equal(labels.refusal, 'INVALID_REQUEST unknown_field');
    const both = await ada.post('/v1/documents?location=l.md', { location: 'l.md', content: '' });
    assert.deepEqual([both.refusal, both.json.error.details.field], ['INVALID_REQUEST unknown_field', 'location']);
  });
});

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes outside any encoding of text, without repetition within a span. */
function makeBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8) * 17) & 255;
  return bytes;
}
