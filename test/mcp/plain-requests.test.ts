import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import fc from 'fast-check';
import { ToolBox } from '../../lib/mcp/call-tool.js';
import type { McpOptions } from '../../lib/mcp/mcp-dependencies.js';
import { openPort, type Port } from '../../lib/http/port.js';
import { makeServer } from '../../lib/mcp/make-server.js';
import { mountMcp } from '../../lib/mcp/mount-mcp.js';
import { readPlainRequest } from '../../lib/mcp/plain-request.js';
import { tools } from '../../lib/mcp/tools.js';
import { countOf, seedOf } from '../support/counts.js';
import { keepLog, type LogLine } from '../support/http/log.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';

const version = '1.2.3';
const present = '2026-07-28';
const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': present,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { roots: {}, elicitation: {} },
};
/** Parts of envelopes, usual and not. */
const infos: readonly object[] = [
  { name: 'a', version: '1', title: 'A' },
  { name: '', version: '' },
  { name: 'a' },
  { name: 'a', version: 1 },
  { name: 'a', version: '1', title: null },
  { name: 'a', version: '1', websiteUrl: 'no address' },
  { name: 'a', version: '1', icons: 1 },
];
const capabilities: readonly object[] = [
  {},
  { roots: { listChanged: true } },
  { roots: { listChanged: 'yes' } },
  { roots: [] },
  { sampling: {}, elicitation: { form: {} } },
  { elicitation: { form: 1 } },
  { elicitation: null },
  { toString: {} },
  { other: {} },
  { experimental: { a: 1 } },
];

const read = { name: 'read_org_doc', arguments: { location: 'team/a.md' } };

describe('A plain MCP request is answered as the protocol’s library answers it', () => {
  let server: McpTestServer;
  let own: Port;
  let library: Port;
  const agent = new Agent({ keepAlive: true });
  let key: string;

  before(async () => {
    server = await openMcpServer();
    const editor = await server.agent('editor', 'team');
    ({ key } = editor);
    await editor.client.call('write_org_doc', { location: 'team/a.md', content: '# One\n\n"quoted" \u2028 \\ 😀\n' });
    const { rest, host } = server;
    const options: McpOptions = {
      version,
      log: keepLog(server.log as LogLine[]),
      publicUrl: rest.url,
      corsOrigins: [],
      later: rest.later,
      addressOf: rest.addressOf,
    };
    const open = async (of: McpOptions): Promise<Port> => {
      const { handle } = mountMcp(host.service, of);
      const explainMalformed = () => ({ headers: {}, text: 'no HTTP' });
      return openPort({ host: '127.0.0.1', port: 0, ownPaths: '/', serve: handle, explainMalformed });
    };
    own = await open(options);
    const box = new ToolBox(tools);
    library = await open({ ...options, serve: (context, era) => makeServer(box, context, version, era) });
  });
  after(async () => {
    agent.destroy();
    await Promise.all([own.close(0), library.close(0)]);
    await server.close();
  });

  it('a plain MCP request may send null for no arguments', async () => {
    for (const make of [older, now]) {
      const none = make('tools/call', { name: 'list_org_docs', arguments: {} });
      const sent = make('tools/call', { name: 'list_org_docs', arguments: null });
      assert.deepEqual(await ask(own, sent), await ask(own, none));
      await assertSame(sent);
    }
  });

  it('in both eras: calls done and refused, the list of tools, and pings', async () => {
    const plain = [
      ...[older, now].flatMap((make) => [
        make('tools/call', read),
        make('tools/call', { name: 'list_org_folders' }),
        make('tools/call', { name: 'list_org_docs', arguments: { location: 'team' } }),
        make('tools/call', { name: 'read_org_doc', arguments: { location: 'team/none.md' } }),
        make('tools/call', { name: 'read_org_doc', arguments: { nothing: 1 } }),
        make('tools/call', { name: 'read_org_doc', arguments: { location: 'team/\ud800.md' } }),
        make('tools/call', { name: 'unknown', arguments: {} }),
        make('tools/list'),
        make('tools/list', { _meta: make === now ? { ...envelope, progressToken: 3 } : { progressToken: 3 } }),
      ]),
      older('ping'),
      older('ping', {}),
      older('tools/list', undefined, { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'ping' }),
      replaced(older('ping'), { id: 0 }),
      replaced(older('ping'), { id: '' }),
    ];
    for (const sent of plain) {
      assert.ok(readPlainRequest(sent.headers, sent.message) !== undefined, JSON.stringify(sent));
      await assertSame(sent);
    }
  });

  it('where the envelope, the headers or the message are not as usual', async () => {
    const wrong: Sent[] = [
      ...[undefined, 'application/json', 'text/event-stream', '*/*', ''].flatMap((accept) => [
        older('tools/call', read, { accept }),
        now('tools/call', read, { accept }),
      ]),
      ...[
        'application/json; charset=utf-8',
        'APPLICATION/JSON',
        'application/json; charset=latin1',
        'application/json;;',
      ].map((type) => older('ping', {}, { 'content-type': type })),
      ...['2025-11-25', '2024-11-05', '2024-10-07', present, '2027-01-01', '1', ''].flatMap((revision) => [
        older('tools/call', read, { 'mcp-protocol-version': revision }),
        now('tools/call', read, { 'mcp-protocol-version': revision }),
        now('tools/call', { ...read, _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': revision } }),
      ]),
      now('tools/call', read, { 'mcp-protocol-version': undefined }),
      now('tools/call', read, { 'mcp-method': undefined }),
      now('tools/call', read, { 'mcp-method': 'tools/list' }),
      now('tools/call', read, { 'mcp-method': ' tools/call ' }),
      now('tools/call', read, { 'mcp-name': undefined }),
      now('tools/call', read, { 'mcp-name': 'brief_me' }),
      now('tools/call', read, { 'mcp-name': ' read_org_doc' }),
      now('tools/call', read, { 'mcp-name': `=?base64?${btoa('read_org_doc')}?=` }),
      now('tools/call', read, { 'mcp-name': '=?base64?%?=' }),
      ...Object.keys(envelope).flatMap((name) =>
        [undefined, null, 1, '', {}, []].map((value) =>
          now('tools/call', { ...read, _meta: { ...envelope, [name]: value } }),
        ),
      ),
      ...[
        ...infos.map((each) => ({ 'io.modelcontextprotocol/clientInfo': each })),
        ...capabilities.map((each) => ({ 'io.modelcontextprotocol/clientCapabilities': each })),
      ].map((part) => now('tools/call', { ...read, _meta: { ...envelope, ...part } })),
      ...[null, 1, '', [], {}, { progressToken: 1.5 }, { progressToken: {} }, { other: 1 }].flatMap((meta) => [
        older('tools/call', { ...read, _meta: meta }),
        now('tools/call', { ...read, _meta: meta }),
        now('tools/call', { ...read, _meta: { ...envelope, ...(meta as object) } }),
      ]),
      ...[null, 1, 'x', [], [1]].flatMap((args) => [
        older('tools/call', { ...read, arguments: args }),
        now('tools/call', { ...read, arguments: args }),
      ]),
      ...[undefined, null, 1, {}, '', '__proto__', 'toString'].flatMap((name) => [
        older('tools/call', { name, arguments: {} }),
        now('tools/call', { name, arguments: {} }, { 'mcp-name': typeof name === 'string' ? name : 'x' }),
      ]),
      ...[undefined, null, 1.5, 1e300, -0, true, {}, []].flatMap((id) => [
        replaced(older('tools/list'), { id }),
        replaced(now('tools/list'), { id }),
      ]),
      ...[undefined, '1.0', 2, null].map((jsonrpc) => replaced(older('ping'), { jsonrpc })),
      ...[null, 1, 'x', []].flatMap((params) => [
        replaced(older('ping'), { params }),
        replaced(older('tools/call'), { params }),
      ]),
      ...['Ping', 'tools/calls', 'toString', '', 1].map((method) => replaced(older('ping'), { method })),
      replaced(older('ping'), { result: {} }),
      replaced(older('ping'), { more: 1 }),
      older('tools/list', { cursor: 'x' }),
      older('tools/call', { ...read, task: {} }),
      now('tools/call', { ...read, inputResponses: {} }),
      { headers: usual, message: JSON.parse('{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{}}') },
      older('tools/call', JSON.parse('{"name":"list_org_docs","arguments":{"__proto__":{"location":"team"}}}')),
      older('tools/call', JSON.parse('{"name":"list_org_docs","arguments":{},"__proto__":{"a":1}}')),
      now('ping'),
    ];
    for (const sent of wrong) await assertSame(sent);
  });

  it('where members and headers are taken away, added and exchanged at random', async function () {
    const count = countOf('PLAIN_REQUESTS', { usual: 150, campaign: 20_000 });
    this.timeout(30_000 + count * 20);
    const bases = [older('tools/call', read), now('tools/call', read), now('tools/list'), older('ping')];
    const names = [...Object.keys(envelope), '_meta', 'name', 'arguments', 'params', 'id', 'method', 'jsonrpc', 'x'];
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>('2.0', present, 'read_org_doc', 'tools/call', envelope, ...infos, ...capabilities),
    );
    const header = fc.constantFrom('accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name');
    const text = fc.constantFrom(
      undefined,
      '',
      present,
      '2025-11-25',
      'read_org_doc',
      'tools/call',
      'application/json',
    );
    const change = fc.oneof(
      fc.record({ path: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), value: values }),
      fc.record({ header, text }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bases), fc.array(change, { minLength: 1, maxLength: 2 }), (base, changes) => {
        const sent = structuredClone(base) as { headers: Record<string, string | undefined>; message: unknown };
        for (const each of changes) {
          if ('header' in each) sent.headers[each.header] = each.text;
          else sent.message = exchange(sent.message, each.path, each.value);
        }
        return assertSame(sent);
      }),
      { numRuns: count, seed: seedOf(151) },
    );
  });

  /** @returns the answer without the request's own id */
  function ask({ port }: Port, { headers: given, message }: Sent): Promise<object> {
    const named = Object.entries(given).filter((each): each is [string, string] => each[1] !== undefined);
    const headers = { ...Object.fromEntries(named), authorization: `Bearer ${key}` };
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent }, (response) => {
        const { statusCode, headers: all } = response;
        const { date: _, 'x-request-id': id = '', 'content-length': __, ...others } = all;
        readText(response).then((text) => {
          resolve({ statusCode, headers: others, text: text.replaceAll(String(id), 'req') });
        }, reject);
      });
      sent.once('error', reject);
      sent.end(JSON.stringify(message));
    });
  }

  async function assertSame(sent: Sent): Promise<void> {
    assert.deepEqual(await ask(own, sent), await ask(library, sent), JSON.stringify(sent));
  }
});

const replaced = (of: Sent, members: Members): Sent => ({ ...of, message: { ...(of.message as Members), ...members } });

/** The value with another one at a path of members; unchanged where there is no such path. */
function exchange(of: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  if (typeof of !== 'object' || of === null) return of;
  return { ...of, [name]: rest.length === 0 ? value : exchange((of as Members)[name], rest, value) };
}

interface Sent {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly message: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/** A request of the revisions before the present one. */
function older(method: string, params?: Members, headers: Sent['headers'] = {}): Sent {
  const message = { jsonrpc: '2.0', id: 7, method, ...(params === undefined ? {} : { params }) };
  return { headers: { ...usual, ...headers }, message };
}

/** A request of the present revision. */
function now(method: string, params: Members = {}, headers: Sent['headers'] = {}): Sent {
  const named = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  return {
    headers: { ...usual, 'mcp-protocol-version': present, 'mcp-method': method, ...named, ...headers },
    message: { jsonrpc: '2.0', id: 'a "name"', method, params: { _meta: envelope, ...params } },
  };
}
