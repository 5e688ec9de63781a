import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Service } from '../../lib/app/service.js';
import { ToolBox } from '../../lib/mcp/call-tool.js';
import { tools } from '../../lib/mcp/tools.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { commandTables } from '../../lib/commands/command-tables.js';
import { verifyChains } from '../../lib/commands/operator/inspect.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { verifyWorkspace } from '../../lib/integrity/verify-workspace.js';
import { anyText } from '../support/texts/any-text.js';
import { Client } from '../support/store/client.js';
import { makeTestRandomness, operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { makeObject, type Known, type Schema } from '../support/http/any-arguments.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import { OAuthServer } from '../support/oauth/server.js';
import { countOf, seedOf } from '../support/counts.js';
import { mountGit } from '../support/http/open-remote.js';
import { WorkTree } from '../support/git/work-tree.js';
import { commitText, listGitRequests, saidPlaces } from './any-git.js';
import { asHeader, encodePercent, listAnyRoutes, putText } from './sent-anywhere.js';

/** Texts for each place where text goes. */
const runs = countOf('ANY_TEXTS', { usual: 1, campaign: 40 });
const seed = seedOf(20261122);
const passphrase = 'correct horse battery staple';

/** The target of a text that would otherwise be a path anywhere on this machine. */
const paths: readonly string[] = ['directory', 'folder'];

const documents = ['team/a.md', 'team/sub/b.md', 'team/c.md'];

describe('Any text from a caller, in any place', function () {
  this.timeout(60_000 + runs * 40_000);

  let server: McpTestServer;
  let signing: OAuthServer;
  let work: string;
  let agent: McpClient;
  let key: string;
  let known: Known;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-any-text-'));
    server = await openMcpServer({ store: 'disk' });
    mountGit(server);
    signing = await OAuthServer.start(server);
    const { host } = server;
    const { id, client } = await server.agent('editor');
    agent = client;
    const person = await host.person('approver', '', 'Ada');
    ({ key } = person);
    const other = await host.principal('Scapegoat');
    const group = await host.group('Crew', { type: 'principal', id: other });
    const ada = new Client(host.workspace, person.id);
    const commits: string[] = [];
    for (const location of documents) {
      commits.push((await ada.create(location, '# One\n\nwords here\n\n## Two\n\nmore words\n')).current.id);
    }
    const { id: comment, threadId } = await ada.comment('team/a.md', 'Is it so?');
    const message = await ada.send([id], 'Words for you.');
    const claim = await ada.claim('team/c.md');
    const locations = [...documents, 'team', 'team/new.md', 'team/sub'];
    const mirror = { name: 'Mirror', location: 'mirror', kind: 'git', settings: { url: 'https://git.example/a.git' } };
    const connected = await server.as(key).post('/v1/connectors', mirror);
    await mkdir(join(work, 'source'));
    await writeFile(join(work, 'source', 'brought.md'), 'brought in');
    known = {
      ...Object.fromEntries(['location', 'into', 'scope_id', 'about'].map((name) => [name, locations])),
      ...Object.fromEntries(['folder', 'to_folder'].map((name) => [name, ['team', 'team/sub', 'other']])),
      ...Object.fromEntries(['version', 'from', 'to_version', 'expected_commit'].map((name) => [name, commits])),
      ...Object.fromEntries(['principal', 'principal_id', 'id', 'member'].map((name) => [name, [other]])),
      ...Object.fromEntries(['thread', 'thread_id'].map((name) => [name, [threadId, message.threadId]])),
      ...Object.fromEntries(['comment', 'comment_id'].map((name) => [name, [comment]])),
      ...Object.fromEntries(['claim', 'claim_id'].map((name) => [name, [claim.id]])),
      ...Object.fromEntries(
        ['If-Match', 'If-None-Match'].map((name) => [name, ['*', ...commits.map((each) => `"${each}"`)]]),
      ),
      group: [group],
      to: [other, id],
      role: ['reader', 'editor'],
      scope_type: ['folder', 'document'],
      kind: ['person', 'agent', 'created'],
      wait: ['0'],
      old_text: ['words', 'more words'],
      section: ['one', 'two'],
      query: ['words', '"more words"', 'wor*'],
      quote: ['words here'],
      since: ['2h', '2026-01-01T00:00:00Z'],
      before: ['3', '90d'],
      confirmation: ['c.md'],
      directory: [join(work, 'source')],
      passphrase: ['short'],
      workspace: ['acme'],
      key: [server.host.workspace.journal.reader.credentials.list()[0]?.id ?? ''],
      expires: ['30d'],
      for: ['1h'],
      value: ['100'],
      apply: ['x'],
      connector: [connected.json.id],
    };
  });

  after(async () => {
    await signing.close();
    await rm(work, { recursive: true, force: true });
  });

  /** No internal error happened: a face refused each text that cannot be stored unchanged. */
  afterEach(() => {
    const lines = [...server.log, ...signing.log] as readonly { level?: unknown }[];
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    );
  });

  const text = anyText();
  let checks = 0;

  it('in every argument of every tool', async () => {
    for (const { name, inputSchema } of new ToolBox(tools).definitions) {
      const schema = inputSchema as Schema;
      const described = makeObject(schema, known);
      for (const [argument, { type }] of Object.entries(schema.properties ?? {})) {
        if (type !== 'string' && type !== 'array') continue;
        await check(fc.tuple(described, fc.nat({ max: 4 })), async ([given, at], put) => {
          const value = type === 'string' ? put : putText(given[argument] ?? ['x'], at, put);
          const args = { ...given, [argument]: value };
          const { status } = await agent.request('tools/call', { name, arguments: args });
          assert.ok(status < 500, `${status} ${name}`);
        });
      }
      await check(described, async (given, put) => {
        const { status } = await agent.request('tools/call', { name, arguments: putText(given, 0, put) });
        assert.ok(status < 500, `${status} ${name}`);
      });
    }
  });

  it('anywhere in a message over MCP', async () => {
    for (const message of [
      { jsonrpc: '2.0', id: 'one', method: 'tools/call', params: { name: 'list_org_docs', arguments: {} } },
      { jsonrpc: '2.0', id: 'one', method: 'resources/read', params: { uri: 'cartulary://doc/team/a.md' } },
      { jsonrpc: '2.0', id: 'one', method: 'resources/list', params: { cursor: 'x' } },
      { jsonrpc: '2.0', id: 'one', method: 'prompts/get', params: { name: 'x', _meta: { progressToken: 'y' } } },
      { jsonrpc: '2.0', id: 'one', method: 'initialize', params: { protocolVersion: 'x', clientInfo: { name: 'y' } } },
    ]) {
      for (let at = 0; at < 12; at += 1) {
        await check(fc.constant(message), async (given, put) => {
          const sent = JSON.stringify(putText(given, at, put));
          const { status } = await agent.post(sent, { 'Mcp-Name': asHeader(put).trim() });
          assert.ok(status < 500, `${status} ${sent}`);
        });
      }
    }
  });

  it('in the path, query, headers and body of every route', async () => {
    const ada = server.as(key);
    const routes = listAnyRoutes(known);
    assert.ok(routes.length > 35, `${routes.length} routes`);
    for (const { parameters, values, body, write } of routes) {
      const send = async (given: Readonly<Record<string, unknown>>, sent: unknown, put: string) => {
        const { method, target, headers } = write(given);
        const all = { 'Idempotency-Key': `key-${checks}`, 'User-Agent': asHeader(put), ...headers };
        const { status } = await ada.send(method, target, { headers: all, body: sent });
        assert.ok(status < 500, `${status} ${method} ${target}`);
      };
      for (const name of parameters) {
        await check(fc.tuple(values, body), ([given, sent], put) => send({ ...given, [name]: put }, sent, put));
      }
      for (let at = 0; at < 4; at += 1) {
        await check(fc.tuple(values, body), ([given, sent], put) => send(given, putText(sent, at, put), put));
      }
    }
  });

  it('in the fields of every command', async () => {
    const files = readdirSync('lib/commands', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const sources = files.map((file) => readFileSync(join('lib/commands', file), 'utf8'));
    const read = sources.flatMap((source) => [...source.matchAll(/fields\.(\w+)\('(\w+)'/g)]);
    const names = [...new Set(read.map(([, , name]) => name ?? ''))];
    const flags = new Set(read.flatMap(([, how, name]) => (how === 'flag' ? [name] : [])));
    const tables = await Promise.all(Object.values(commandTables).map((load) => load()));
    const commands = Object.keys(Object.assign({}, ...tables) as object);
    assert.ok(names.length > 40 && commands.length > 40);
    const field = (name: string): fc.Arbitrary<unknown> => {
      if (flags.has(name)) return fc.boolean();
      const words = known[name];
      return words === undefined ? fc.option(fc.constant('x'), { nil: undefined }) : fc.constantFrom(...words);
    };
    const fields = fc.record(Object.fromEntries(names.map((name) => [name, field(name)])));
    const done = new Set<string>();
    // Any of them can have been moved or deleted by the requests before.
    const ada = await server.person('approver', '', 'Ada');
    for (const location of documents) await ada.post('/v1/documents', { location, content: 'words here' });
    for (const command of commands) {
      const put = fc.constantFrom(...names.filter((name) => !flags.has(name)));
      await check(fc.tuple(fields, put), async ([given, name], value) => {
        const changed = paths.includes(name) ? join(work, 'source', value) : value;
        const sent = JSON.stringify({ command, workspace: 'acme', fields: { ...given, [name]: changed } });
        const answer = await runCommand(JSON.parse(sent), {
          host: server.host.service,
          server: null,
          address: '',
          onProgress: async () => undefined,
          signal: new AbortController().signal,
          // A path that the system refuses is reported unchanged.
          onFault: (what, cause) => assert.match(String(cause), /null bytes|ENAMETOOLONG|E[A-Z]+:/, what),
        });
        if ('result' in answer) done.add(command);
      });
    }
    assert.ok(done.size > commands.length / 3, `only these were done: ${[...done].join(', ')}`);
  });

  it('in every form of the pages for signing in, and of OAuth', async () => {
    const forms: readonly (readonly [string, readonly string[]])[] = [
      ['/signin', ['name', 'password', 'return', 'csrf']],
      ['/signin/link', ['link', 'password', 'again', 'csrf']],
      ['/signin/sessions', ['session', 'consent', 'csrf']],
      ['/signin/out', ['csrf']],
      ['/signin/upstream', ['return']],
      ['/oauth/token', ['grant_type', 'code', 'client_id', 'redirect_uri', 'code_verifier', 'refresh_token']],
      ['/oauth/register', []],
      [`/oauth/interaction/${'x'.repeat(21)}`, ['consent', 'workspace', 'csrf']],
    ];
    const browser = signing.browserOf(await signing.person('ben'));
    for (const [path, names] of forms) {
      const isJson = names.length === 0;
      const form = fc.tuple(fc.constantFrom(...names, 'client_name'), fc.constantFrom(...names, 'client_name'));
      await check(form, async (chosen, put) => {
        const fields = chosen.map((name) => [name, put] as const);
        const body = isJson
          ? JSON.stringify({ redirect_uris: ['https://a.example/cb'], ...Object.fromEntries(fields) })
          : fields.map(([name, value]) => `${name}=${encodePercent(value)}`).join('&');
        const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
        const cookie = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; ');
        const headers = { 'Content-Type': type, Cookie: cookie, 'User-Agent': asHeader(put), Origin: signing.url };
        assert.ok((await send('POST', path, headers, body)) < 500, path);
        const target = `${isJson ? '/oauth/authorize?state=' : `${path}?return=`}${encodePercent(put)}`;
        assert.ok((await send('GET', target, headers)) < 500, path);
      });
    }
  });

  it('in the address, the headers and the lines of every request of git, and in a pushed commit', async () => {
    const { host, rest } = server;
    const { id } = await host.person('editor', '', 'Grace');
    const gitKey = await host.key(id, ['git']);
    const address = new URL('/git/acme', rest.url);
    address.password = gitKey;
    const tree = await WorkTree.clone(work, address.href, 'pushed');
    for (const make of listGitRequests(gitKey, await tree.head())) {
      await check(fc.constant(undefined), async (_, put) => {
        const { method, target, headers, body } = make(put);
        assert.ok((await send(method, target, headers, body, rest.url)) < 500, target);
      });
    }
    const taken: string[] = [];
    for (const place of saidPlaces) {
      await check(fc.constant(undefined), async (_, put) => {
        await tree.reset();
        await tree.git('update-ref', 'HEAD', commitText(tree.folder, await tree.head(), place, put));
        const { code, stderr } = await tree.push();
        if (code === 0) taken.push(place);
        else assert.match(stderr, /remote rejected|remote unpack failed/);
      });
    }
    assert.ok(taken.length > runs, `${taken.length} pushes were taken in`);
  });

  it('leaves everything sound, and a backup of it can be restored', async () => {
    const { workspace, dataFolder } = server.host;
    await until('erases to end', () => workspace.journal.reader.erasures.open().length === 0);
    await workspace.checkpointer.run();
    const { seq } = workspace.journal.state.chain;
    assert.ok(seq > runs * 100, `${seq} records`);
    await requireSound(dataFolder ?? '');
    const folder = join(work, 'backup');
    await perform(workspace, operator, backUpWorkspace, { folder, passphrase, cost: 2 ** 10 });
    const restored = join(work, 'restored');
    const service = await Service.open({
      dataFolder: restored,
      git: 'auto',
      clock: server.host.clock,
      randomness: makeTestRandomness('restored'),
      onFault: () => undefined,
    });
    try {
      await service.restore({ backup: folder, passphrase }, operator);
      await requireSound(restored);
    } finally {
      await service.close();
    }
  });

  /** Sends each text with half of a surrogate pair behind it, and well-formed. The well-formed text goes further. */
  const check = <Value>(
    given: fc.Arbitrary<Value>,
    send: (value: Value, put: string) => Promise<unknown>,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(given, text, async (value, put) => {
        for (const each of [`${put}\ud800`, put.toWellFormed()]) await send(value, each);
      }),
      // Each with values of its own.
      { numRuns: runs, seed: seed + (checks += 1) },
    );

  async function requireSound(dataFolder: string): Promise<void> {
    const { problems, remarks } = await verifyWorkspace({ dataFolder, name: 'acme', git: 'auto' }, () => undefined);
    assert.deepEqual([problems, remarks], [[], []]);
    const elsewhere = { head: undefined, clone: undefined, recoveredAt: undefined };
    const [chain] = await verifyChains({ dataFolder, workspace: 'acme', git: 'auto' }, elsewhere);
    assert.ok(chain?.sound, JSON.stringify(chain));
  }

  function send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer = '',
    at = signing.url,
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(new URL(target, at), { method, headers, agent: false }, (response) => {
        response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      outgoing.on('error', reject).end(body);
    });
  }
});
