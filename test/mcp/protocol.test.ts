import assert from 'node:assert/strict';
import { request } from 'node:http';
import { parseKey } from '../../lib/access/secret.js';
import type { AccessToken } from '../../lib/domain/access-token.js';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { operator } from '../support/store/service.js';
import { openMcpServer, readResult, type McpTestServer, type Posted } from '../support/http/open-mcp.js';

/** The first message of a client of 2025. */
const hello = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

describe('MCP over HTTP', () => {
  let server: McpTestServer;
  let key: string;
  let person: string;
  const tokens = new Map<string, AccessToken>();

  before(async () => {
    server = await openMcpServer({
      corsOrigins: ['https://inspector.example'],
      publicUrl: 'https://docs.example',
      readAccessToken: (token) => tokens.get(token),
    });
    ({ key } = await server.agent('editor', 'team'));
    person = (await server.host.person('editor', 'team')).id;
    await server.host.person('approver');
  });
  after(() => server.close());

  it('refuses too long a header, by its name', async () => {
    const { port } = server.rest;
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    for (const name of ['accept', 'content-type', 'mcp-name']) {
      const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: { ...headers, [name]: 'x'.repeat(5000) },
        body: call('brief_me'),
      });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), new RegExp(`The header ${name} has more than 4096 characters`));
    }
  });

  it('takes any token for a token, and a key only where it is one', async () => {
    const posted = await server.client(token('ck_WLmK2y0nWbFJ9Fkc5n7pNRhzR4JXn0V0XMHsRHOq9mN')).request('tools/list');
    assert.equal(posted.status, 200, posted.text);
    assert.equal((await server.client(key).request('tools/list')).status, 200);
    const refused = [];
    for (const text of [`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, 'ck_', 'ck_acme_0_0', 'nothing']) {
      refused.push(withoutId(await server.client(text).request('tools/list')));
    }
    assert.match(refused[0] ?? '', /^401 /);
    assert.equal(new Set(refused).size, 1);
  });

  /** A request whose Host, Origin and method fetch would not let us choose. */
  function raw(
    method: string,
    headers: Readonly<Record<string, string>>,
    body = call('list_org_docs'),
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const defaults = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      };
      const options = { port: server.rest.port, path: '/mcp', method, headers: { ...defaults, ...headers } };
      const outgoing = request(options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(pieces).toString(),
          }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(method === 'POST' || method === 'PUT' ? body : undefined);
    });
  }

  it('answers JSON to a client of 2025 that takes no stream, and a stream to one that does', async () => {
    const initialize = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    for (const accept of ['application/json', 'application/*', '*/*', 'text/html, application/json;q=0.9']) {
      for (const body of [
        initialize,
        call('list_org_folders'),
        JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
      ]) {
        const { status, headers, text } = await raw('POST', { Accept: accept }, body);
        assert.deepEqual([status, headers['content-type']], [200, 'application/json'], accept);
        assert.ok('result' in (JSON.parse(text) as object), text);
      }
      const notified = await raw('POST', { Accept: accept }, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
      assert.equal(notified.status, 202);
    }
    for (const accept of ['application/json, text/event-stream', 'text/event-stream;q=0.5,application/json']) {
      assert.equal((await raw('POST', { Accept: accept }, initialize)).headers['content-type'], 'text/event-stream');
    }
    assert.equal((await raw('POST', { Accept: 'text/html' }, initialize)).status, 406);
  });

  it('asks for a key or a sign-in, the same way for every fault', async () => {
    const { id } = await server.agent('reader', 'team');
    const revoked = await server.host.key(id, ['mcp']);
    await perform(server.host.workspace, operator, revokeCredential, {
      credentialId: parseKey(revoked)?.credentialId ?? '',
    });
    const expired = await server.host.key(id, ['mcp'], server.host.clock.now() + 1);
    server.host.clock.advance(1);
    const disabled = (await server.agent('reader', 'team')).id;
    const keyOfDisabled = await server.host.key(disabled, ['mcp']);
    await perform(server.host.workspace, operator, setPrincipalState, { principalId: disabled, disabled: true });
    const wrong = [
      undefined,
      'nonsense',
      `${key.slice(0, -1)}x`,
      revoked,
      expired,
      await server.host.key(id, ['rest']),
      keyOfDisabled,
      'unknown-token',
      token('of-disabled', { principalId: disabled }),
      token('of-nobody', { principalId: 'prn_nobody' }),
      token('of-another-workspace', { workspace: 'elsewhere' }),
    ];
    const answers = await Promise.all(wrong.map((each) => server.client(each).post(call('list_org_docs'))));
    assert.equal(new Set(answers.map(withoutId)).size, 1);
    const [first] = answers;
    assert.equal(first?.status, 401);
    assert.equal(
      first.headers.get('www-authenticate'),
      'Bearer resource_metadata="https://docs.example/.well-known/oauth-protected-resource/mcp", ' +
        'scope="org:read org:write"',
    );
    assert.equal(first.json.jsonrpc, '2.0');
    assert.equal(first.headers.get('x-request-id'), first.json.error.data.request_id);
  });

  it('reads nothing of a body before it knows the sender', async () => {
    const { status } = await server.client().post('not json', { 'Content-Type': 'text/html' });
    assert.equal(status, 401);
    assert.equal((await server.client().post('x'.repeat(9 * 1024 * 1024))).status, 401);
  });

  it('takes a key minted for REST and for MCP on both', async () => {
    const both = await server.host.key(person, ['rest', 'mcp']);
    assert.equal((await server.client(both).post(call('list_org_docs'))).status, 200);
    assert.equal((await server.as(both).get('/v1/documents?location=')).status, 200);
  });

  it('lets an application act as the signed-in person, within the scope of the token', async () => {
    const full = server.client(token('full'));
    assert.equal((await full.call('write_org_doc', { location: 'team/t.md', content: 'text\n' })).refusal, '');
    const { modified_by } = (await full.call('read_org_doc', { location: 'team/t.md' })).done;
    assert.equal(modified_by.kind, 'person');
    assert.equal(server.records().at(-1)?.record.principal, person);
    assert.equal((await server.as('full').get('/v1/documents?location=')).status, 401);
    tokens.delete('full');
    assert.equal((await full.post(call('list_org_docs'))).status, 401);
  });

  it('challenges a token without the scope, before it looks at any document', async () => {
    const reader = server.client(token('read-only', { scopes: ['org:read'] }));
    await server.client(key).call('write_org_doc', { location: 'team/there.md', content: 'x' });
    const writes: readonly [string, object][] = [
      ['write_org_doc', { location: 'team/there.md', content: 'x' }],
      ['write_org_doc', { location: 'hidden/absent.md', content: 'x' }],
      [
        'edit_org_doc',
        { location: 'team/there.md', expected_commit: '0'.repeat(40), edits: [{ op: 'append', new_text: 'x' }] },
      ],
      ['delete_org_doc', { location: 'team/there.md', expected_commit: '0'.repeat(40) }],
      ['claim', { action: 'take', location: 'team/there.md' }],
      ['message', { action: 'send', to: ['prn_x'], subject: 's', body: 'b' }],
    ];
    const records = server.records().length;
    for (const [name, args] of writes) {
      for (const posted of [
        await reader.post(call(name, args)),
        await reader.request('tools/call', { name, arguments: args }),
      ]) {
        assert.equal(posted.status, 403, name);
        assert.match(posted.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
        assert.match(posted.headers.get('www-authenticate') ?? '', /scope="org:read org:write"/);
      }
    }
    assert.equal(server.records().length, records);
    assert.equal((await reader.call('claim', { action: 'list' })).refusal, '');
    const writer = server.client(token('write-only', { scopes: ['org:write'] }));
    assert.equal((await writer.post(call('list_org_docs'))).status, 403);
    assert.equal((await writer.request('resources/list')).status, 403);
    assert.equal((await writer.request('resources/read', { uri: 'cartulary://doc/team/there.md' })).status, 403);
    server.host.clock.advance(61_000);
    await server.rest.later.flush();
    const counted = server.records().filter(({ record }) => record.code === 'UNAUTHENTICATED');
    assert.ok(JSON.stringify(counted).includes('insufficient_scope'));
  });

  it('moves no bookmark for a token that only reads', async () => {
    const scopes = { scopes: ['org:read'] } as const;
    const reading = server.client(token('brief-read', scopes));
    const full = server.client(token('brief-full'));
    await server.client(key).call('write_org_doc', { location: 'team/news.md', content: 'news' });
    const seen = async (client: typeof full): Promise<number> => {
      server.host.clock.advance(11 * 60_000);
      return (await client.call('brief_me')).done.changes.length;
    };
    const first = await seen(reading);
    assert.ok(first > 0);
    assert.equal(await seen(reading), first);
    assert.equal(await seen(full), first);
    assert.equal(await seen(reading), 0);
  });

  it('refuses batches, of both eras', async () => {
    for (const batch of [
      `[${call('list_org_docs')}]`,
      '[]',
      `[${call('list_org_docs')},${call('write_org_doc', { location: 'team/batch.md', content: 'x' })}]`,
    ]) {
      for (const headers of [{}, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' }]) {
        const { status, json } = await server.client(key).post(batch, headers);
        assert.deepEqual([status, json.error.code], [400, -32600]);
      }
    }
    const { refusal } = await server.client(key).call('read_org_doc', { location: 'team/batch.md' });
    assert.equal(refusal, 'NOT_FOUND not_found');
  });

  it('answers invalid JSON, and invalid messages, in the protocol’s own form', async () => {
    const client = server.client(key);
    for (const body of ['', '{', '<html>', new Uint8Array([0x22, 0xff, 0x22])]) {
      const { status, json } = await client.post(body);
      assert.deepEqual([status, json.error.code], [400, -32700]);
    }
    for (const body of ['null', '1', '"x"', '{}', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"ping"}']) {
      const { status, json } = await client.post(body);
      assert.equal(status, 400, body);
      assert.ok(json.error.code <= -32600 || json.error.code === -32000, body);
    }
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`;
    assert.equal((await client.post(deep)).status, 400);
    assert.equal((await client.post('{}', { 'Content-Type': 'text/plain' })).status, 415);
    for (const encoding of ['gzip', 'identity, gzip', 'GZIP', 'x']) {
      assert.equal((await client.post(call('list_org_docs'), { 'Content-Encoding': encoding })).status, 415, encoding);
    }
    assert.equal((await client.post(call('list_org_docs'), { 'Content-Encoding': 'identity' })).status, 200);
    assert.equal((await client.post('x'.repeat(9 * 1024 * 1024))).status, 413);
    assert.equal((await client.request('tools/list')).status, 200);
  });

  it('has no sessions, and a stream only where a client listens for something', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const answer = await raw(method, {});
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'POST'], method);
    }
    const { headers } = await server.client(key).post(hello);
    assert.equal(headers.get('mcp-session-id'), null);
    const listen = await server.client(key).request('subscriptions/listen', { notifications: {} });
    assert.deepEqual(listen.json.params.notifications, {});
  });

  it('names the workspace to agents once it has a title, and keeps that from shared caches', async () => {
    const initialize = async (): Promise<string> =>
      readResult((await server.client(key).post(hello)).text).result.instructions;
    const before = await initialize();
    assert.doesNotMatch(before, /This workspace is/);
    const { workspace } = server.host;
    await perform(workspace, operator, changePolicy, { workspaceTitle: 'The "Acme" handbook' });
    try {
      assert.equal(await initialize(), `${before}\nThis workspace is "The 'Acme' handbook".`);
      const { result } = (await server.client(key).request('server/discover')).json;
      assert.match(result.instructions, /The 'Acme' handbook/);
      assert.equal(result.cacheScope, 'private');
    } finally {
      await perform(workspace, operator, changePolicy, { workspaceTitle: null });
    }
  });

  it('answers only to its own names', async () => {
    const { port } = server.rest;
    for (const host of ['docs.example', `127.0.0.1:${port}`, 'localhost', '[::1]:80', '192.168.1.5:8080']) {
      assert.equal((await raw('POST', { Host: host })).status, 200, host);
    }
    for (const host of ['evil.example', 'docs.example.evil.example', 'localhost.evil.example', '127.0.0.1.nip.io']) {
      assert.equal((await raw('POST', { Host: host })).status, 403, host);
    }
  });

  it('lets only pages of its own and of configured origins call', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://docs.example',
      'https://inspector.example.evil.example',
    ]) {
      const answer = await raw('POST', { Origin: origin });
      assert.equal(answer.status, 403, origin);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    }
    for (const origin of ['https://docs.example', 'https://inspector.example']) {
      const answer = await raw('POST', { Origin: origin });
      assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [200, origin]);
    }
    const preflight = await raw('OPTIONS', {
      Origin: 'https://inspector.example',
      'Access-Control-Request-Method': 'POST',
    });
    assert.equal(preflight.status, 204);
    assert.match(String(preflight.headers['access-control-allow-headers']), /Authorization/);
  });

  it('limits the rate of each key as REST does, together with it', async () => {
    const other = await server.addWorkspace();
    const id = await other.host.principal('Ada', 'agent');
    const limited = await other.host.key(id, ['rest', 'mcp']);
    await perform(other.host.workspace, operator, changePolicy, { requestsPerMinute: 60, burst: 2 });
    assert.equal((await server.client(limited).post(call('list_org_docs'))).status, 200);
    assert.equal((await server.as(limited).get('/v1/documents?location=')).status, 200);
    const refused = await server.client(limited).request('resources/list');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
    assert.equal(refused.json.error.data.code, 'RATE_LIMITED');
  });

  it('limits how often an address may be wrong', async () => {
    const strict = await openMcpServer();
    const statuses = new Set<number>();
    for (let index = 0; index < 310; index += 1) statuses.add((await strict.client('nonsense').post('{}')).status);
    await strict.close();
    assert.deepEqual([...statuses], [401, 429]);
  });

  it('names its request in the header, in the log and in a refusal', async () => {
    const posted = await server
      .client(key)
      .request('tools/call', { name: 'read_org_doc', arguments: { location: 'x' } });
    const id = posted.headers.get('x-request-id');
    assert.equal(JSON.parse(posted.json.result.content[0].text).error.request_id, id);
    const line = server.log.find(({ fields }) => fields['id'] === id);
    assert.deepEqual(
      [line?.fields['tool'], line?.fields['rpc'], line?.fields['status']],
      ['read_org_doc', 'tools/call', 200],
    );
    assert.ok(!JSON.stringify(server.log).includes('there.md'));
  });

  it('knows no tool outside the table', async () => {
    const posted = await server.client(key).request('tools/call', { name: '__proto__', arguments: {} });
    assert.equal(posted.json.error.code, -32602);
  });

  function token(text: string, more: Partial<AccessToken> = {}): string {
    tokens.set(text, {
      workspace: 'acme',
      principalId: person,
      identityId: 'idn_test',
      scopes: ['org:read', 'org:write'],
      id: `tok_${text}`,
      clientId: 'client',
      expiresAt: Number.MAX_SAFE_INTEGER,
      ...more,
    });
    return text;
  }
});

const call = (name: string, args: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } });

const withoutId = ({ status, text, headers }: Posted): string =>
  `${status} ${headers.get('www-authenticate')} ${text.replace(/req_[a-z0-9]+/g, 'req')}`;

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}
