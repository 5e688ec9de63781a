import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client as PresentClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as PresentStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { ClientService } from '../../bin/find-service.js';
import { loadConfig } from '../../lib/config.js';
import { bridgeStreams, type Deliver } from '../../lib/mcp/bridge.js';
import { timeout } from '../support/processes/run-program.js';
import type { Parsed } from '../support/http/server.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { addClient, type Client } from '../support/store/client.js';
import { until } from '../support/until.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

const implementation = { name: 'test', version: '1' };
const former = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: implementation };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': implementation,
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('A subscription over standard input and output', function () {
  this.timeout(timeout);

  let server: McpTestServer;
  let ada: Client;
  let key: string;
  beforeEach(async () => {
    server = await openMcpServer();
    ada = await addClient({ service: server.host, workspace: server.host.workspace }, 'Ada', 'approver', '');
    for (const folder of ['team', 'secret']) await ada.createFolder(folder);
    for (const path of ['team/a.md', 'team/b.md', 'secret/s.md']) await ada.create(path, 'One.\n');
    ({ key } = await server.agent('reader', 'team'));
  });
  afterEach(() => server.close());

  it('is heard by the clients of both generations, each in its own protocol', async () => {
    const env = { PATH: process.env['PATH'] ?? '', CARTULARY_URL: server.rest.url, CARTULARY_KEY: key };
    const spawned = { command: process.execPath, args: [program, 'mcp'], env };
    const heard: string[] = [];
    const older = new FormerClient(implementation);
    const newer = new PresentClient(implementation, { versionNegotiation: { mode: 'auto' } });
    await Promise.all([older.connect(new FormerStdio(spawned)), newer.connect(new PresentStdio(spawned))]);
    assert.deepEqual(older.getServerCapabilities()?.resources, { subscribe: true });
    older.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void heard.push(`older ${params.uri}`),
    );
    newer.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void heard.push(`newer ${params.uri}`),
    );
    await older.subscribeResource({ uri: doc('team/a.md') });
    const subscription = await newer.listen({ resourceSubscriptions: [doc('team/b.md')] });
    await ada.update('secret/s.md', 'Unseen.\n');
    await ada.update('team/a.md', 'Two.\n');
    await ada.update('team/b.md', 'Two.\n');
    await until('both have heard', () => heard.length === 2);
    assert.deepEqual(heard.toSorted(), [`newer ${doc('team/b.md')}`, `older ${doc('team/a.md')}`]);
    await older.unsubscribeResource({ uri: doc('team/a.md') });
    await subscription.close();
    await until('nobody listens', () => listeners() === 0);
    await Promise.all([older.close(), newer.close()]);
  });

  it('adds and drops addresses of a client of 2025, over one stream', async () => {
    const client = new Spoken(deliver());
    await client.request('initialize', former);
    for (const path of ['team/a.md', 'team/b.md', 'secret/s.md', 'team/a.md']) {
      assert.deepEqual((await client.request('resources/subscribe', { uri: doc(path) })).result, {}, path);
    }
    const refused = await client.request('resources/subscribe', { uri: 'http://elsewhere/' });
    assert.match(refused.error.message, /not the address of a document or folder/);
    await until('one stream is left', () => listeners() === 1);
    await ada.update('team/a.md', 'Two.\n');
    await until('the update is told', () => client.told.length === 1);
    await client.request('resources/unsubscribe', { uri: doc('team/a.md') });
    await client.request('resources/unsubscribe', { uri: doc('team/none.md') });
    await ada.update('team/a.md', 'Three.\n');
    await ada.update('secret/s.md', 'Two.\n');
    await ada.update('team/b.md', 'Two.\n');
    await until('the other update is told', () => client.told.length === 2);
    assert.deepEqual(client.told, [doc('team/a.md'), doc('team/b.md')]);
    assert.ok(client.messages.every(({ params }) => params?.['_meta'] === undefined));
    for (const path of ['team/b.md', 'secret/s.md']) await client.request('resources/unsubscribe', { uri: doc(path) });
    await until('nobody listens', () => listeners() === 0);
    await client.end();
  });

  it('listens again when the service has ended the stream, and has the addresses read again', async () => {
    const cuts: AbortController[] = [];
    const cutting: Deliver = (body, headers, stopping) => {
      if (stopping === undefined) return deliver()(body, headers);
      const cut = new AbortController();
      cuts.push(cut);
      return deliver()(body, headers, AbortSignal.any([stopping, cut.signal]));
    };
    const client = new Spoken(cutting);
    await client.request('initialize', former);
    await client.request('resources/subscribe', { uri: doc('team/a.md') });
    cuts[0]?.abort();
    await until('it listens again', () => client.told.length === 1);
    await ada.update('team/a.md', 'Two.\n');
    await until('the update is told', () => client.told.length === 2);
    await client.end();
    await until('nobody listens', () => listeners() === 0);
  });

  it('ends a stream of a client of 2026 when it cancels, and all when its input ends', async () => {
    const client = new Spoken(deliver());
    const listen = (id: string): void =>
      client.write({
        id,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions: [doc('team')] }, _meta: envelope },
      });
    listen('one');
    listen('two');
    await until('both listen', () => client.messages.length === 2);
    client.write({ method: 'notifications/cancelled', params: { requestId: 'one', _meta: envelope } });
    await until('one is left', () => listeners() === 1);
    await ada.update('team/a.md', 'Two.\n');
    await until('the other is told', () => client.told.length === 1);
    assert.equal(client.messages.at(-1)?.params['_meta']['io.modelcontextprotocol/subscriptionId'], 'two');
    server.host.workspace.watchers.endAll();
    await until('the other is answered', () => client.messages.some(({ id }) => id === 'two'));
    await client.end();
    assert.equal(client.messages.filter(({ id }) => id === 'one').length, 0);
  });

  it('passes on the words in which the service refuses', async () => {
    const client = new Spoken(deliver());
    await client.request('initialize', former);
    let answer: Parsed = { result: {} };
    for (let count = 0; answer.result !== undefined; count += 1) {
      answer = await client.request('resources/subscribe', { uri: doc(`team/${count}.md`) });
      assert.ok(count <= 100);
    }
    assert.match(answer.error.message, /at most 100 resources/);
    await client.end();
  });

  const deliver = (): Deliver =>
    new ClientService(loadConfig({ flags: {}, file: undefined, environment: {} }), server.rest.url).deliverWith(key);

  const listeners = (): number => server.host.workspace.feedTail.size;
});

/** A client that speaks to the bridge in this process. */
class Spoken {
  readonly #input = new PassThrough();
  readonly #bridged: Promise<void>;
  readonly messages: Parsed[] = [];
  #serial = 0;

  constructor(deliver: Deliver) {
    const output = new PassThrough();
    createInterface({ input: output }).on('line', (text) => this.messages.push(JSON.parse(text)));
    this.#bridged = bridgeStreams(this.#input, output, deliver);
  }

  write(message: object): void {
    this.#input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async request(method: string, params: object): Promise<Parsed> {
    this.#serial += 1;
    const id = this.#serial;
    this.write({ id, method, params });
    return until(`${method} is answered`, () => this.messages.find((message) => message.id === id));
  }

  get told(): readonly string[] {
    return this.messages.flatMap(({ method, params }) =>
      method === 'notifications/resources/updated' ? [params.uri] : [],
    );
  }

  end(): Promise<void> {
    this.#input.end();
    return this.#bridged;
  }
}

const doc = (path: string): string => `cartulary://doc/${path}`;
