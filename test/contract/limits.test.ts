import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('the limits of the REST API', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await openTestServer({ requestsPerMinute: 4 });
  });
  afterEach(() => server.close());

  it('Limits: a key has its allowance, shown with every answer to it, and gets 429 beyond it', async () => {
    const ada = await server.person('approver');
    const left: unknown[] = [];
    for (const target of ['/v1/folders', '/v1/documents/none.md', '/v1/documents?limit=x', '/v1/nothing']) {
      const { headers } = await ada.get(target);
      assert.equal(headers['x-ratelimit-limit'], '4');
      left.push(headers['x-ratelimit-remaining']);
    }
    assert.deepEqual(left, ['3', '2', '1', '0']);
    const refused = await ada.get('/v1/folders');
    assert.equal(refused.refusal, 'RATE_LIMITED');
    assert.equal(refused.headers['x-ratelimit-remaining'], '0');
  });

  it('Limits: after as many seconds as Retry-After says there is room again', async () => {
    const ada = await server.person('approver');
    for (let count = 0; count < 4; count += 1) await ada.get('/v1/folders');
    const { status, headers } = await ada.get('/v1/folders');
    assert.deepEqual([status, headers['retry-after']], [429, '15']);
    server.host.clock.advance(14_000);
    assert.equal((await ada.get('/v1/folders')).status, 429);
    server.host.clock.advance(1000);
    assert.equal((await ada.get('/v1/folders')).status, 200);
  });

  it("Limits: one key's haste is not another's wait, also of the same person", async () => {
    const { id, key } = await server.host.person('approver');
    for (let count = 0; count < 5; count += 1) await server.as(key).get('/v1/folders');
    assert.equal((await server.as(key).get('/v1/folders')).status, 429);
    assert.equal((await server.as(await server.host.key(id)).get('/v1/folders')).status, 200);
  });

  it('Limits: health and the description need no key and know no limit', async () => {
    for (let count = 0; count < 8; count += 1) {
      const { status, headers } = await server.as().get('/v1/health');
      assert.deepEqual([status, headers['x-ratelimit-limit']], [200, undefined]);
    }
  });

  it('Limits: an address that keeps trying keys is slowed down, and good keys from there are not', async () => {
    const ada = await server.person('approver');
    let status = 401;
    for (let count = 0; count < 400 && status === 401; count += 1) {
      ({ status } = await server.as('ck_acme_guess').get('/v1/folders'));
    }
    assert.equal(status, 429);
    assert.equal((await ada.get('/v1/folders')).status, 200);
    server.host.clock.advance(60_000);
    assert.equal((await server.as('ck_acme_guess').get('/v1/folders')).status, 401);
  });

  it('Limits: the storage of a workspace ends at its quota, with the limit in the answer', async () => {
    await perform(server.host.workspace, operator, changePolicy, { storageQuota: 100 });
    const ada = await server.person('approver');
    assert.equal((await ada.create('a.md', 'x'.repeat(60))).status, 201);
    const over = await ada.create('b.md', 'x'.repeat(60));
    assert.equal(over.refusal, 'INVALID_REQUEST storage_quota');
    assert.equal(over.json.error.details.limit, 100);
    assert.equal((await ada.get('/v1/documents/b.md')).status, 404);
  });

  it('Limits: content over the limit of its form is refused with that limit, and nothing is made', async () => {
    await perform(server.host.workspace, operator, changePolicy, { largestText: 1000, largestBlob: 2000 });
    const ada = await server.person('approver');
    const json = await ada.create('a.md', 'x'.repeat(1001));
    assert.deepEqual([json.refusal, json.json.error.details.limit], ['INVALID_REQUEST content_too_large', 1000]);
    const raw = await ada.post('/v1/documents?location=a.md', Buffer.alloc(2001));
    assert.deepEqual([raw.refusal, raw.json.error.details.limit], ['INVALID_REQUEST content_too_large', 2000]);
    const body = await ada.post('/v1/documents', { location: 'a.md', content: '', message: 'x'.repeat(80_000) });
    assert.equal(body.refusal, 'INVALID_REQUEST body_too_large');
    assert.equal(server.head, null);
  });
});
