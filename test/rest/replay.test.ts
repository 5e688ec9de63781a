import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('replays over REST', () => {
  let server: TestServer;
  let ada: HttpClient;

  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('makes one document out of sixteen creates at once under one key, and gives all the same answer', async () => {
    const key = { 'Idempotency-Key': 'at-once' };
    const answers = await Promise.all(Array.from({ length: 16 }, () => ada.create('once/a.md', 'text', key)));
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers[0]?.status, 201);
    assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1);
    assert.equal((await ada.get('/v1/documents?location=once')).json.items.length, 1);
  });

  it('makes one document out of simultaneous raw creates, and recognises another body by its bytes', async () => {
    const key = { 'Idempotency-Key': 'raw-at-once' };
    const send = (bytes: Buffer): ReturnType<HttpClient['post']> =>
      ada.post('/v1/documents?location=once/raw.bin', bytes, key);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(Buffer.alloc(5000, 7))));
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal((await send(Buffer.alloc(5000, 8))).refusal, 'CONFLICT idempotency_key_reused');
  });

  it('recognises a request with any order and spacing of its JSON', async () => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': '"quoted"' };
    const first = await ada.send('POST', '/v1/documents', {
      headers,
      body: Buffer.from('{"location":"once/json.md","content":"\\u0061","labels":["x"]}'),
    });
    const again = await ada.send('POST', '/v1/documents', {
      headers: { ...headers, 'Idempotency-Key': 'quoted' },
      body: Buffer.from('{ "labels": ["x"], "content": "a",\n "location": "once/json.md" }'),
    });
    assert.deepEqual([again.status, again.text], [201, first.text]);
  });

  it('recognises a key of any printable characters, in quotes too', async () => {
    const key = 'import/team/a.md #1 "a\\b" (~)';
    const first = await ada.create('once/printable.md', 'text', { 'Idempotency-Key': key });
    assert.equal(first.status, 201);
    const quoted = `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
    const again = await ada.create('once/printable.md', 'text', { 'Idempotency-Key': quoted });
    assert.deepEqual([again.status, again.text], [201, first.text]);
  });

  const others: [string, (key: object) => ReturnType<HttpClient['post']>][] = [
    ['content', (key) => ada.create('once/other.md', 'changed', { ...key })],
    ['location', (key) => ada.create('once/elsewhere.md', 'text', { ...key })],
    ['form', (key) => ada.post('/v1/documents?location=once/other.md', Buffer.from('text'), { ...key })],
  ];
  for (const [index, [what, send]] of others.entries()) {
    it(`refuses the key for a request with another ${what}`, async () => {
      const key = { 'Idempotency-Key': `other-${index}` };
      await ada.create(`once/other.md`, 'text', key);
      await ada.delete('/v1/documents/once/other.md');
      assert.equal((await send(key)).refusal, 'CONFLICT idempotency_key_reused');
    });
  }

  it('keeps one principal’s keys apart from another’s', async () => {
    const bob = await server.person('approver', '', 'bob');
    const key = { 'Idempotency-Key': 'shared-word' };
    assert.equal((await ada.create('once/ada.md', 'text', key)).status, 201);
    const own = await bob.create('once/bob.md', 'text', key);
    assert.deepEqual([own.status, own.headers['idempotent-replayed']], [201, undefined]);
  });

  it('remembers no refusal: the corrected request goes through under its key', async () => {
    const key = { 'Idempotency-Key': 'mended' };
    assert.equal((await ada.create('once/a.md', 'text', key)).refusal, 'CONFLICT name_taken');
    assert.equal((await ada.create('once/b.md', 'text', key)).status, 201);
  });

  it('decides again whether the caller may have the answer', async () => {
    const { id, key } = await server.host.person('editor', 'lent', 'carl');
    const carl = server.as(key);
    const retry = { 'Idempotency-Key': 'lent' };
    assert.equal((await carl.create('lent/a.md', 'text', retry)).status, 201);
    await server.host.revoke('editor', { type: 'principal', id }, 'lent');
    assert.equal((await carl.create('lent/a.md', 'text', retry)).refusal, 'NOT_FOUND');
  });

  it('repeats the first answer for 24 hours and not longer', async () => {
    const key = { 'Idempotency-Key': 'yesterday' };
    await ada.create('once/day.md', 'text', key);
    server.host.clock.advance(24 * 60 * 60 * 1000 - 1);
    assert.equal((await ada.create('once/day.md', 'text', key)).status, 201);
    server.host.clock.advance(1);
    assert.equal((await ada.create('once/day.md', 'text', key)).refusal, 'CONFLICT name_taken');
  });

  it('answers a retry before it asks whether the request would still be accepted', async () => {
    await ada.create('late/a.md', 'The first words.');
    const comment = (text: string): Promise<HttpAnswer> =>
      ada.post(
        '/v1/comments',
        { location: 'late/a.md', text, passage: { quote: 'first words' } },
        { 'Idempotency-Key': 'late' },
      );
    const first = await comment('Which?');
    assert.equal(first.status, 201);
    await ada.put('/v1/documents/late/a.md', { content: 'Other ones.' });
    const again = await comment('Which?');
    assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [201, first.text, 'true']);
    assert.equal((await comment('Which ones?')).refusal, 'CONFLICT idempotency_key_reused');
    const fresh = await ada.post('/v1/comments', {
      location: 'late/a.md',
      text: 'Which?',
      passage: { quote: 'first words' },
    });
    assert.equal(fresh.refusal, 'INVALID_REQUEST quote_not_found');
  });

  describe('where the largest document has become smaller', () => {
    const limits = { largestText: 10 * 1024 ** 2, largestBlob: 100 * 1024 ** 2 };

    afterEach(() => setLimits(limits));

    const uploads: [string, string, (key: object) => Promise<HttpAnswer>][] = [
      ['a text', 'content_too_large', (key) => ada.create('big/a.md', 'a'.repeat(500), { ...key })],
      ['a long body', 'body_too_large', (key) => ada.create('big/b.md', 'a'.repeat(200_000), { ...key })],
      [
        'raw bytes',
        'content_too_large',
        (key) => ada.post('/v1/documents?location=big/c.bin', Buffer.alloc(3_000_000, 7), { ...key }),
      ],
    ];
    for (const [what, reason, send] of uploads) {
      it(`gives the first answer for ${what} again, and refuses the same under another key`, async () => {
        const key = { 'Idempotency-Key': `big ${what}`.replaceAll(' ', '-') };
        const first = await send(key);
        assert.equal(first.status, 201);
        await setLimits({ largestText: 100, largestBlob: 100 });
        const again = await send(key);
        assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [201, first.text, 'true']);
        assert.equal((await send({ 'Idempotency-Key': 'fresh' })).refusal, `INVALID_REQUEST ${reason}`);
      });
    }

    it('gives the first answer for a long body again also while the clock is set ahead', async () => {
      const key = { 'Idempotency-Key': 'ahead' };
      const send = (): Promise<HttpAnswer> => ada.create('big/ahead.md', 'a'.repeat(200_000), key);
      const first = await send();
      await setLimits({ largestText: 100, largestBlob: 100 });
      const { clock } = server.host;
      clock.ahead = 3 * 24 * 60 * 60 * 1000;
      try {
        const again = await send();
        assert.deepEqual([again.status, again.text], [201, first.text]);
      } finally {
        clock.ahead = 0;
      }
    });

    it('takes no longer body than any request could have, with any key', async () => {
      const key = { 'Idempotency-Key': 'more' };
      const send = (bytes: number): Promise<HttpAnswer> =>
        ada.post('/v1/documents?location=big/e.bin', Buffer.alloc(10, 7), { ...key, 'Content-Length': bytes });
      assert.equal((await send(10)).status, 201);
      await setLimits({ largestText: 100, largestBlob: 100 });
      assert.equal((await send(200 * 1024 ** 2)).refusal, 'INVALID_REQUEST content_too_large');
    });

    const setLimits = (to: typeof limits): Promise<unknown> =>
      perform(server.host.workspace, operator, changePolicy, to);
  });
});
