import assert from 'node:assert/strict';
import { Client as PresentClient, StreamableHTTPClientTransport as PresentHttp } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AccessToken } from '../../lib/domain/access-token.js';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { parseKey } from '../../lib/access/secret.js';
import { McpStream, type Wanted } from '../support/http/mcp-stream.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { addClient, type Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

const implementation = { name: 'test', version: '1' };

describe('A subscription over MCP', () => {
  const tokens = new Map<string, AccessToken>();
  let server: McpTestServer;
  /** Approver of everything, who works. */
  let ada: Client;
  let key: string;
  let reader: string;
  const streams: McpStream[] = [];

  beforeEach(async () => {
    server = await openMcpServer({
      readAccessToken: (token) => tokens.get(token),
      workLimits: { listeners: { perSource: 8, inAll: 12 } },
    });
    ada = await addClient({ service: server.host, workspace: server.host.workspace }, 'Ada', 'approver', '');
    for (const folder of ['team', 'team/sub', 'secret']) await ada.createFolder(folder);
    for (const path of ['team/a.md', 'team/b.md', 'team/sub/c.md', 'secret/s.md']) await ada.create(path, 'One.\n');
    ({ key, id: reader } = await server.agent('reader', 'team'));
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    await server.close();
  });

  it('is heard by the client of 2026: what it named, what is below a folder it named, and the list', async () => {
    const client = new PresentClient(implementation, { versionNegotiation: { mode: 'auto' } });
    await client.connect(
      new PresentHttp(new URL(`${server.rest.url}/mcp`), {
        requestInit: { headers: { Authorization: `Bearer ${key}` } },
      }),
    );
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('the list'));
    assert.deepEqual(client.getServerCapabilities()?.resources, { subscribe: true, listChanged: true });
    const wanted = { resourceSubscriptions: [doc('team/a.md'), doc('team/sub/')], resourcesListChanged: true };
    const subscription = await client.listen(wanted);
    assert.deepEqual(subscription.honoredFilter, wanted);

    await ada.update('team/b.md', 'Nobody listens.\n');
    await ada.update('team/a.md', 'Two.\n');
    await until('the update is heard', () => heard.length === 1);
    await ada.create('team/sub/new page.md', 'new');
    await until('the creation is heard', () => heard.length === 3);
    assert.deepEqual(heard, [doc('team/a.md'), doc('team/sub/new%20page.md'), 'the list']);
    const [read] = (await client.readResource({ uri: heard[1] ?? '' })).contents;
    assert.ok(read !== undefined && 'text' in read);
    assert.equal(read.text, 'new');
    await subscription.close();
    assert.equal(await subscription.closed, 'local');
    await client.close();
    await until('nobody listens', () => server.host.workspace.feedTail.size === 0);
  });

  it('is not offered to a client of 2025 over HTTP, where nothing could keep it', async () => {
    const client = new FormerClient(implementation);
    const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };
    await client.connect(new FormerHttp(new URL(`${server.rest.url}/mcp`), options));
    assert.deepEqual(client.getServerCapabilities()?.resources, {});
    await assert.rejects(client.subscribeResource({ uri: doc('team/a.md') }), /Method not found|does not support/);
    await client.close();
    const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {} } };
    const posted = await server.client(key).post(JSON.stringify(message));
    assert.equal(posted.json.error.code, -32601, posted.text);
  });

  it('tells an address when the document there comes, goes, moves or changes, and not for labels and comments', async () => {
    const named = await listen({ resourceSubscriptions: [doc('team/a.md'), doc('team/z.md')] });
    const list = await listen({ resourcesListChanged: true });
    await ada.labels('add', 'team/a.md', 'draft');
    await ada.comment('team/a.md', 'Why?');
    await ada.update('team/a.md', 'Two.\n');
    await named.hears(doc('team/a.md'));
    await ada.rename('team/a.md', 'z.md');
    await until('both addresses are told', () => named.told.length === 3);
    assert.deepEqual(named.told.slice(1).toSorted(), [doc('team/a.md'), doc('team/z.md')]);
    await list.hears('the list');
    await ada.delete('team/z.md');
    await until('the deletion is told', () => named.told.length === 4 && list.told.length === 2);
    await ada.undelete('team/z.md');
    await until('the return is told', () => named.told.length === 5 && list.told.length === 3);
    assert.deepEqual(named.told.slice(3), [doc('team/z.md'), doc('team/z.md')]);
    await ada.delete('team/b.md');
    await until('the other deletion is told', () => list.told.length === 4);
    assert.equal(named.told.length, 5);
  });

  it('tells the address as the client wrote it, and documents below a folder by their own', async () => {
    await ada.create('team/ä b.md', 'x');
    const odd = `${doc('team/')}%C3%A4%20b.md`;
    const stream = await listen({ resourceSubscriptions: [odd, doc(encodeURI('team/sub'))] });
    await ada.update('team/ä b.md', 'y');
    await stream.hears(odd);
    await ada.move('team/sub/c.md', 'team');
    await stream.hears(doc('team/sub/c.md'));
  });

  it('says the same of a hidden address as of an absent one, before and after they change', async () => {
    const uris = ['secret/s.md', 'secret/t.md', 'secret', 'secret/', '', 'team/s.md'];
    const texts: string[] = [];
    const opened = await Promise.all(uris.map((path) => listen({ resourceSubscriptions: [doc(path)] })));
    for (const [index, stream] of opened.entries())
      texts.push(stream.text.replace(JSON.stringify([doc(uris[index] ?? '')]), '[]'));
    assert.equal(new Set(texts).size, 1);
    await ada.update('secret/s.md', 'Two.\n');
    await ada.create('secret/t.md', 'hidden');
    await ada.rename('secret/t.md', 'u.md');
    await ada.delete('secret/s.md');
    await ada.undelete('secret/s.md');
    await ada.update('team/a.md', 'seen');
    await opened[4]?.hears(doc('team/a.md'));
    assert.deepEqual(
      opened.map(({ told }) => told),
      [[], [], [], [], [doc('team/a.md')], []],
    );
  });

  it('goes on in silence when the caller loses the place, as for a place that is deleted', async () => {
    await server.host.grant('reader', { type: 'principal', id: reader }, 'secret');
    const lost = await listen({ resourceSubscriptions: [doc('secret/s.md')], resourcesListChanged: true });
    const deleted = await listen({ resourceSubscriptions: [doc('team/b.md')], resourcesListChanged: true });
    await server.host.revoke('reader', { type: 'principal', id: reader }, 'secret');
    await lost.hears('the list');
    await ada.delete('team/b.md');
    await until('the deletion is told', () => lost.told.length === 3 && deleted.told.length === 3);
    for (const path of ['secret/s.md']) await ada.update(path, 'Unseen.\n');
    await ada.create('team/z.md', 'seen');
    await until('the creation is told', () => lost.told.length === 4 && deleted.told.length === 4);
    assert.deepEqual(lost.told, [doc('secret/s.md'), 'the list', 'the list', 'the list']);
    assert.deepEqual(deleted.told, ['the list', doc('team/b.md'), 'the list', 'the list']);
    assert.equal(lost.isOver, false);
    await server.host.grant('reader', { type: 'principal', id: reader }, 'secret');
    await until('the return is told', () => lost.told.length === 6);
    assert.deepEqual(lost.told.slice(4), [doc('secret/s.md'), 'the list']);
  });

  it('ends with the key, with its principal, and with the token', async () => {
    const person = (await server.host.person('reader', 'team')).id;
    const token: AccessToken = {
      workspace: 'acme',
      principalId: person,
      identityId: 'idn_test',
      scopes: ['org:read'],
      id: 'tok_1',
      clientId: 'client',
      expiresAt: Number.MAX_SAFE_INTEGER,
    };
    tokens.set('reading', token).set('writing', { ...token, scopes: ['org:write'] });
    const wanted = { resourceSubscriptions: [doc('team/')] };
    const refused = await McpStream.open(server.rest.url, 'writing', wanted);
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('www-authenticate') ?? '', /insufficient_scope/);

    const other = await server.agent('reader', 'team', 'Other');
    const byKey = await listen(wanted);
    const byOther = await listen(wanted, other.key);
    const byToken = await listen(wanted, 'reading');
    tokens.delete('reading');
    const credentialId = parseKey(key)?.credentialId ?? '';
    await perform(server.host.workspace, operator, revokeCredential, { credentialId });
    await perform(server.host.workspace, operator, setPrincipalState, { principalId: other.id, disabled: true });
    await ada.update('team/a.md', 'Unseen.\n');
    for (const stream of [byKey, byOther, byToken]) {
      await stream.ended();
      assert.deepEqual(stream.told, []);
    }
    assert.equal((await McpStream.open(server.rest.url, 'reading', wanted)).status, 401);
  });

  it('ends in the protocol’s words when the service stops', async () => {
    const stream = await listen({ resourceSubscriptions: [doc('team/')] });
    server.host.workspace.watchers.endAll();
    await stream.ended();
    assert.deepEqual(Object.keys(stream.messages.at(-1) ?? {}), ['jsonrpc', 'id', 'result']);
    assert.match(stream.text, /"resultType":"complete"/);
  });

  it('is bounded in its addresses and in its number, and takes no room from other requests', async () => {
    const many = Array.from({ length: 101 }, (_, index) => doc(`team/${index}.md`));
    const refused = await listen({ resourceSubscriptions: many });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /at most 100 resources/);
    assert.equal((await listen({ resourceSubscriptions: many.slice(1) })).status, 200);

    const impossible = [
      'http://elsewhere/',
      doc('x'.repeat(8000)),
      doc('%'),
      doc('a//b'),
      doc('a?commit=1'),
      'nothing',
    ];
    const partly = await listen({ resourceSubscriptions: [...impossible, doc('team')] });
    assert.deepEqual(partly.honored, { resourceSubscriptions: [doc('team')] });
    // Nothing can come on these, so they end at once.
    for (const nothing of [{ resourceSubscriptions: impossible }, { toolsListChanged: true }, {}]) {
      const none = await listen(nothing);
      await none.ended();
      assert.deepEqual(none.honored, {});
      assert.match(none.text, /"resultType":"complete"/);
    }

    for (const stream of streams.splice(0)) stream.leave();
    await until('nobody listens', () => server.host.workspace.feedTail.size === 0);
    for (let open = 0; open < 8; open += 1) {
      assert.equal((await listen({ resourceSubscriptions: [doc('team')] })).status, 200);
    }
    const more = await listen({ resourceSubscriptions: [doc('team')] });
    assert.deepEqual([more.status, more.headers.get('retry-after') === null], [429, false]);
    assert.equal((await server.client(key).request('tools/list')).status, 200);
    const other = await server.agent('reader', 'team', 'Other');
    assert.equal((await listen({ resourceSubscriptions: [doc('team')] }, other.key)).status, 200);
  });

  it('tells a flood of changes in few words', async () => {
    const stream = await listen({ resourceSubscriptions: [doc('team/a.md')], resourcesListChanged: true });
    for (let count = 0; count < 150; count += 1) await ada.update('team/a.md', `${count}\n`);
    await ada.create('team/last.md', 'last');
    await stream.hears('the list');
    assert.ok(stream.told.length < 100, `${stream.told.length} times`);
    assert.equal(stream.told.at(-2), doc('team/a.md'));
  });

  it('tells of an erase only that the address is empty', async () => {
    const named = await listen({ resourceSubscriptions: [doc('team/a.md')] });
    const list = await listen({ resourcesListChanged: true });
    await eraseAt(server.host.workspace, 'team/a.md');
    await list.hears('the list');
    await named.hears(doc('team/a.md'));
    assert.ok(!list.text.includes('a.md'));
  });

  it('is recorded at its beginning and at its end', async () => {
    const stream = await listen({ resourceSubscriptions: [doc('team/')] });
    await ada.update('team/a.md', 'Two.\n');
    await stream.hears(doc('team/a.md'));
    stream.leave();
    const { audit } = server.host.workspace.journal.reader;
    const records = await until('the end is recorded', () => {
      const found = audit.after(0, 1000).filter((each) => each.interface === 'mcp' && each.action.startsWith('feed.'));
      return found.length === 2 && found;
    });
    assert.deepEqual(
      records.map(({ seq, principal, action }) => [principal, action, JSON.parse(audit.textOf(seq)?.detail ?? '{}')]),
      [
        [reader, 'feed.read', { form: 'stream' }],
        [reader, 'feed.followed', { items: 1 }],
      ],
    );
  });

  async function listen(wanted: Wanted, by = key): Promise<McpStream> {
    const stream = await McpStream.open(server.rest.url, by, wanted);
    streams.push(stream);
    return stream;
  }
});

const doc = (path: string): string => `cartulary://doc/${path}`;
