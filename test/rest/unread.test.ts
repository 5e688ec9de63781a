import assert from 'node:assert/strict';
import { parseKey } from '../../lib/access/secret.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('an unreadable request', () => {
  let server: TestServer;
  let ada: HttpClient;
  let id: string;
  let key: string;

  before(async () => {
    server = await openTestServer();
    ({ id, key } = await server.host.person('approver'));
    ada = server.as(key);
    await ada.create('a/x.md');
  });
  after(() => server.close());

  const bare = (method: string, target: string, body?: unknown): Promise<HttpAnswer> =>
    ada.send(method, target, body === undefined ? {} : { body });
  const json = { 'Content-Type': 'application/json', 'Idempotency-Key': 'k' };
  const requests: [what: string, send: () => Promise<HttpAnswer>, action: string, target: string | null][] = [
    ['no If-Match', () => bare('PUT', '/v1/documents/a/x.md', { content: 'b' }), 'document.update', 'a/x.md'],
    ['no If-Match to delete', () => bare('DELETE', '/v1/documents/a/x.md'), 'document.delete', 'a/x.md'],
    ['no Idempotency-Key', () => bare('POST', '/v1/undeletes', { location: 'a/x.md' }), 'document.undelete', null],
    [
      'an impossible key',
      () => ada.create('a/y.md', 'b', { 'Idempotency-Key': 'x'.repeat(256) }),
      'document.create',
      null,
    ],
    ['an impossible location in the body', () => ada.create('a//y.md'), 'document.create', null],
    ['an impossible location in the path', () => ada.get('/v1/documents/a/x.md/'), 'document.read', null],
    ['an unknown parameter', () => ada.get('/v1/documents/a/x.md?colour=red'), 'document.read', 'a/x.md'],
    ['a forged cursor', () => ada.get('/v1/documents?location=a&cursor=forged'), 'document.list', null],
    ['no query', () => ada.get('/v1/search'), 'document.search', null],
    ['an unknown field', () => ada.post('/v1/moves', { location: 'a/x.md', whither: 'b' }), 'item.move', null],
    ['a method that the path does not have', () => bare('PATCH', '/v1/documents/a/x.md'), 'request.make', null],
    [
      'what is no JSON',
      () => ada.send('POST', '/v1/grants', { headers: json, body: Buffer.from('{') }),
      'grant.create',
      null,
    ],
    [
      'an unknown media type',
      () => ada.post('/v1/folders', Buffer.from('x'), { 'Content-Type': 'text/plain' }),
      'folder.create',
      null,
    ],
  ];
  for (const [what, send, action, target] of requests) {
    it(`leaves one record: ${what}`, async () => {
      const before = server.records().length;
      const { refusal, headers } = await send();
      const [code, reason] = refusal.split(' ');
      assert.equal(code, 'INVALID_REQUEST');
      const records = server.records().slice(before);
      assert.deepEqual(records.map(({ record, text }) => ({ ...record, target: text?.target ?? null })).map(pick), [
        {
          principal: id,
          credential: parseKey(key)?.credentialId,
          interface: 'rest',
          action,
          outcome: 'refused',
          code,
          target,
          version: null,
          request_id: headers['x-request-id'],
        },
      ]);
      assert.deepEqual(JSON.parse(records[0]?.text?.detail ?? ''), { reason });
    });
  }

  it('leaves one record where the path does not exist, and none where the caller is unknown', async () => {
    const before = server.records().length;
    for (const target of ['/v1/nothing', '/v1/documents/a/x.md/..%2F', '/v1/DOCUMENTS']) {
      assert.match((await ada.get(target)).refusal, /^(?:NOT_FOUND|INVALID_REQUEST bad_location)$/);
    }
    assert.equal((await server.as().get('/v1/nothing')).refusal, 'UNAUTHENTICATED');
    assert.equal((await ada.get('/v1/health')).status, 200);
    assert.deepEqual(
      server
        .records()
        .slice(before)
        .map(({ record: { action, principal, outcome, code } }) => [action, principal, outcome, code]),
      [
        ['request.make', id, 'refused', 'NOT_FOUND'],
        ['document.read', id, 'refused', 'INVALID_REQUEST'],
        ['request.make', id, 'refused', 'NOT_FOUND'],
      ],
    );
  });

  it('leaves none of its own where the key has used up its rate', async () => {
    const slow = await openTestServer({ requestsPerMinute: 3 });
    try {
      const hasty = await slow.person('reader');
      const before = slow.records().length;
      for (let count = 0; count < 9; count += 1) await hasty.get('/v1/documents/a//b');
      assert.equal(slow.records().length - before, 3);
    } finally {
      await slow.close();
    }
  });
});

function pick(record: object): object {
  const { seq: _s, at: _a, detail: _d, prev_hash: _p, hash: _h, ...rest } = record as Record<string, unknown>;
  return rest;
}
