import assert from 'node:assert/strict';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { formatKey, parseKey } from '../../lib/access/secret.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('attempts that never reached a principal’s request', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await openTestServer({ requestsPerMinute: 2 });
  });
  afterEach(() => server.host.close());

  it('is recorded once for each key and minute, with the number of attempts', async () => {
    const { id } = await server.host.person('reader');
    const key = await server.host.key(id);
    const credentialId = parseKey(key)?.credentialId ?? '';
    await perform(server.host.workspace, operator, revokeCredential, { credentialId });
    for (let count = 0; count < 3; count += 1) await server.as(key).get('/v1/folders');
    server.host.clock.advance(60_000);
    await server.as(key).get('/v1/folders');
    const records = await recordsOf('authentication.failed');
    const minute = Math.floor(server.host.clock.now() / 60_000);
    assert.deepEqual(records, [
      { code: 'UNAUTHENTICATED', detail: { count: 3, reason: 'revoked', source: credentialId, minute: minute - 1 } },
      { code: 'UNAUTHENTICATED', detail: { count: 1, reason: 'revoked', source: credentialId, minute } },
    ]);
  });

  it('names the address where the key is unknown, and not the workspace that the key does not name', async () => {
    const { key } = await server.host.person('reader');
    const parts = parseKey(key);
    assert.ok(parts);
    const unknown = formatKey({ ...parts, credentialId: '0123456789abcdef' });
    await server.as(unknown).get('/v1/folders');
    await server.as(formatKey({ ...parts, workspace: 'other' })).get('/v1/folders');
    await server.as('no key at all').get('/v1/folders');
    const records = await recordsOf('authentication.failed');
    assert.deepEqual(
      records.map(({ detail }) => [detail['count'], detail['reason'], detail['source']]),
      [[1, 'unknown', '127.0.0.1']],
    );
  });

  it('counts requests over the limit of a key', async () => {
    const { key } = await server.host.person('reader');
    for (let count = 0; count < 5; count += 1) await server.as(key).get('/v1/folders');
    const records = await recordsOf('rate.limited');
    assert.deepEqual(
      records.map(({ code, detail }) => [code, detail['count'], detail['source']]),
      [['RATE_LIMITED', 3, parseKey(key)?.credentialId]],
    );
  });

  it('shows the last use of a key, to the minute', async () => {
    const { key } = await server.host.person('reader');
    server.host.clock.advance(12_345);
    await server.as(key).get('/v1/folders');
    await server.rest.close();
    const credential = server.host.workspace.journal.reader.credentials.find(parseKey(key)?.credentialId ?? '');
    assert.equal(credential?.lastUsedAt, Math.floor(server.host.clock.now() / 60_000) * 60_000);
  });

  /** Stops the face, which writes its counts, and reads those records with their details. */
  async function recordsOf(action: string): Promise<{ code: string | null; detail: Record<string, unknown> }[]> {
    await server.rest.close();
    return server
      .records()
      .filter(({ record }) => record.action === action)
      .map(({ record, text }) => ({
        code: record.code,
        detail: JSON.parse(text?.detail ?? '{}') as Record<string, unknown>,
      }));
  }
});
