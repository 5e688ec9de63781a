import assert from 'node:assert/strict';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';

/** Nearly the most headers that the server takes. */
const long = 31_000;

describe('too long a header', () => {
  let server: TestServer;
  let nobody: HttpClient;

  before(async () => {
    server = await openTestServer({ server: { trustProxy: ['loopback'] } });
    // The server reads headers before it checks any access.
    nobody = await server.person('reader', 'elsewhere');
  });
  after(() => server.close());

  it('is refused by its name, for every header', async () => {
    for (const [field, value] of [
      ['If-None-Match', `x,${' '.repeat(long)}"`],
      ['Accept', 'a'.repeat(long)],
    ] as const) {
      const answer = await nobody.get('/v1/documents/x', { [field]: value });
      assert.deepEqual([answer.status, answer.json.error.details], [400, refused(field)], field);
    }
    const update = (headers: Record<string, string>) => nobody.put('/v1/documents/x', { content: 'a' }, headers);
    for (const field of ['If-Match', 'Content-Type']) {
      assert.deepEqual((await update({ [field]: `"${' '.repeat(long)}"` })).json.error.details, refused(field), field);
    }
    const created = await nobody.create('x', 'a', { 'Idempotency-Key': 'k'.repeat(long) });
    assert.deepEqual(created.json.error.details, refused('Idempotency-Key'));
  });

  it('is refused where only the bytes of a document are asked for', async () => {
    const ada = await server.person('approver');
    await ada.create('a.md');
    const raw = { Accept: 'application/octet-stream' };
    for (const field of ['Range', 'If-Range']) {
      const answer = await ada.get('/v1/documents/a.md', { ...raw, [field]: `bytes=${'1'.repeat(long)}` });
      assert.deepEqual([answer.status, answer.json?.error?.details], [400, refused(field)], field);
    }
  });

  it('is read as far as 4,096 characters', async () => {
    const { status } = await nobody.get('/v1/documents/x', { 'If-None-Match': `"${'a'.repeat(4094)}"` });
    assert.equal(status, 404);
  });

  it('is no key, like any other invalid one', async () => {
    const [long401, short401] = await Promise.all(
      ['a'.repeat(long), 'a'].map((key) => nobody.get('/v1/documents/x', { Authorization: `Bearer ${key}` })),
    );
    assert.equal(long401?.status, 401);
    assert.equal(long401.text.replace(/req_\w+/, ''), short401?.text.replace(/req_\w+/, ''));
  });

  it('names a client by its end, which the proxies wrote', async () => {
    const forwarded = `${'1.2.3.4, '.repeat(3000)}192.0.2.7`;
    assert.equal((await nobody.get('/v1/documents/x', { 'X-Forwarded-For': forwarded })).status, 404);
    const seen = server.rest.addressOf({
      headers: { 'x-forwarded-for': forwarded },
      socket: { remoteAddress: '127.0.0.1' },
    } as unknown as Parameters<typeof server.rest.addressOf>[0]);
    assert.equal(seen, '192.0.2.7');
  });

  const refused = (field: string) => ({ reason: 'bad_field', field, limit: 4096 });
});
