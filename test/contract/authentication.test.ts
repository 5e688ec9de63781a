import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { revokeCredential, rotateCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { parseKey } from '../../lib/access/secret.js';
import { openTestServer, type HttpAnswer, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('authentication over REST', () => {
  let server: TestServer;
  let ada: { readonly id: string; readonly key: string };

  before(async () => {
    server = await openTestServer();
    ada = await server.host.person('approver');
    await server.as(ada.key).create('a.md', 'text');
  });
  after(() => server.close());

  it('Authentication 1: a key travels as a bearer token, and the scheme in any case', async () => {
    assert.equal((await server.as(ada.key).get('/v1/documents/a.md')).status, 200);
    const lower = await server.as().get('/v1/documents/a.md', { Authorization: `bearer  ${ada.key}` });
    assert.equal(lower.status, 200);
    for (const header of [ada.key, `Token ${ada.key}`, `Bearer`, `Bearer ${ada.key} ${ada.key}`, `Bearer${ada.key}`]) {
      assert.equal((await server.as().get('/v1/documents/a.md', { Authorization: header })).status, 401, header);
    }
    assert.equal((await server.as().get(`/v1/documents/a.md?access_token=${ada.key}`)).status, 401);
  });

  it('Authentication 2: a key opens REST only when it was made for it', async () => {
    const both = await server.host.key(ada.id, ['rest', 'mcp']);
    assert.equal((await server.as(both).get('/v1/documents/a.md')).status, 200);
  });

  it('Authentication 3: an agent token is refused on /v1 like any key that is none', async () => {
    const token = await server.host.key(ada.id, ['mcp']);
    assert.equal((await server.as(token).get('/v1/documents/a.md')).refusal, 'UNAUTHENTICATED');
  });

  it('Authentication 4: a key lives for ever, or until the moment that was set', async () => {
    const { clock } = server.host;
    const limited = await server.host.key(ada.id, ['rest'], clock.now() + 1000);
    assert.equal((await server.as(limited).get('/v1/documents/a.md')).status, 200);
    clock.advance(1000);
    assert.equal((await server.as(limited).get('/v1/documents/a.md')).status, 401);
    clock.advance(100 * 365 * 24 * 60 * 60 * 1000);
    assert.equal((await server.as(ada.key).get('/v1/documents/a.md')).status, 200);
  });

  it('Authentication 5: a revoked key is refused at its next request', async () => {
    const key = await server.host.key(ada.id);
    assert.equal((await server.as(key).get('/v1/documents/a.md')).status, 200);
    await perform(server.host.workspace, operator, revokeCredential, { credentialId: idOf(key) });
    assert.equal((await server.as(key).get('/v1/documents/a.md')).status, 401);
  });

  it('Authentication 5: rotation takes the old secret out of force and changes nothing else', async () => {
    const key = await server.host.key(ada.id);
    const { result } = await perform(server.host.workspace, operator, rotateCredential, { credentialId: idOf(key) });
    assert.equal(idOf(result.secret), idOf(key));
    assert.equal((await server.as(key).get('/v1/documents/a.md')).status, 401);
    assert.equal((await server.as(result.secret).get('/v1/documents/a.md')).status, 200);
  });

  it('Authentication 6: missing, malformed, unknown, wrong, revoked, expired, disabled and foreign keys get one and the same 401', async () => {
    const { host } = server;
    const revoked = await host.key(ada.id);
    await perform(host.workspace, operator, revokeCredential, { credentialId: idOf(revoked) });
    const expired = await host.key(ada.id, ['rest'], host.clock.now() + 1);
    host.clock.advance(1);
    const gone = await host.person('reader', '', 'gone');
    await perform(host.workspace, operator, setPrincipalState, { principalId: gone.id, disabled: true });
    const rotated = await host.key(ada.id);
    await perform(host.workspace, operator, rotateCredential, { credentialId: idOf(rotated) });
    const keys: Record<string, string | undefined> = {
      missing: undefined,
      malformed: 'ck_acme_x',
      'of another kind': 'ghp_0123456789',
      'with a wrong checksum': `${ada.key.slice(0, -1)}${ada.key.endsWith('0') ? '1' : '0'}`,
      'of another workspace': ada.key.replace('ck_acme_', 'ck_other_'),
      'for agents': await host.key(ada.id, ['mcp']),
      'for git': await host.key(ada.id, ['git']),
      revoked,
      expired,
      'of someone disabled': gone.key,
      'with the secret before a rotation': rotated,
    };
    const seen = new Set<string>();
    for (const [kind, key] of Object.entries(keys)) {
      for (const target of ['/v1/documents/a.md', '/v1/documents/none.md', '/v1/folders?limit=x']) {
        const answer = await server.as(key).get(target);
        assert.equal(answer.status, 401, kind);
        const { 'x-request-id': _, date: __, ...headers } = answer.headers;
        seen.add(withoutId(answer) + JSON.stringify(headers));
      }
    }
    assert.equal(seen.size, 1);
    assert.ok([...seen][0]?.includes('"www-authenticate":"Bearer"'));
  });

  it('Authentication 9: what a principal reaches follows its live grants, direct ones and those of its groups', async () => {
    const { host } = server;
    await server.as(ada.key).create('team/plans/q1.md', 'text');
    const id = await host.principal('Bob');
    const bob = server.as(await host.key(id));
    const status = async (): Promise<number> => (await bob.get('/v1/documents/team/plans/q1.md')).status;
    const subject = { type: 'principal', id } as const;

    assert.equal(await status(), 404);
    await host.grant('reader', subject, 'team');
    assert.equal(await status(), 200);
    await host.revoke('reader', subject, 'team');
    assert.equal(await status(), 404);

    const outer = await host.group('outer');
    const inner = await host.group('inner', subject);
    await host.join(outer, { type: 'group', id: inner });
    await host.grant('reader', { type: 'group', id: outer }, 'team/plans');
    assert.equal(await status(), 200);
    await host.leave(inner, subject);
    assert.equal(await status(), 404);
  });

  it('Authentication 10: lacking a role is never a 403: reader and stranger get the 404 of what does not exist', async () => {
    await server.as(ada.key).create('shelf/book.md', 'text');
    const reader = await server.person('reader', 'shelf');
    const stranger = await server.person('reader', 'elsewhere');
    const attempts = async (who: typeof reader, location: string): Promise<string[]> =>
      (
        await Promise.all([
          who.put(`/v1/documents/${location}`, { content: 'x' }),
          who.delete(`/v1/documents/${location}`),
          who.create(`${location}.new`, 'x'),
        ])
      ).map((answer) => `${answer.status} ${withoutId(answer)}`);
    const all = [
      ...(await attempts(reader, 'shelf/book.md')),
      ...(await attempts(stranger, 'shelf/book.md')),
      ...(await attempts(reader, 'shelf/absent.md')),
      ...(await attempts(stranger, 'shelf/absent.md')),
    ];
    assert.equal(new Set(all).size, 1);
    assert.match(all[0] ?? '', /^404 .*"NOT_FOUND"/);
  });
});

describe('authentication while the workspace cannot be read', () => {
  it('Authentication 11: where access cannot be decided the answer is 503 with Retry-After, whatever is there', async () => {
    const server = await openTestServer({ store: 'disk-without-git' });
    try {
      const ada = await server.person('approver');
      await ada.create('a.md', 'text');
      spoilSidecar(join(server.host.dataFolder ?? '', 'acme'));
      // The first read from the disk finds the damage.
      await ada.put('/v1/documents/a.md', { content: 'lost' });
      const answers = [
        await ada.get('/v1/documents/a.md'),
        await ada.get('/v1/documents/absent.md'),
        await ada.get('/v1/folders'),
        await ada.put('/v1/documents/a.md', { content: 'x' }),
        await ada.create('b.md'),
      ];
      for (const answer of answers) {
        assert.equal(answer.refusal, 'UNAVAILABLE');
        assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
      }
      assert.equal(new Set(answers.map(withoutId)).size, 1);
      assert.equal((await server.as().get('/v1/health')).status, 200);
    } finally {
      await server.close();
    }
  });
});

const idOf = (key: string): string => parseKey(key)?.credentialId ?? '';

const withoutId = (answer: HttpAnswer): string => answer.text.replace(answer.json.error.request_id, 'req');

/** Overwrites the workspace's SQLite files in place, as a failing disk might. */
function spoilSidecar(folder: string): void {
  const files = readdirSync(folder).filter((name) => /^sidecar\.sqlite(?:-wal)?$/.test(name));
  assert.ok(files.includes('sidecar.sqlite'));
  for (const name of files) {
    const file = join(folder, name);
    writeFileSync(file, Buffer.alloc(statSync(file).size, 0xa5), { flag: 'r+' });
  }
}
