import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client as PresentClient, StreamableHTTPClientTransport as PresentHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as PresentStdio } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FormerHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { removeLeft, timeout, runProgram, serve, tidyUp } from '../support/processes/run-program.js';
import type { Parsed } from '../support/http/server.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { openTestService } from '../support/store/service.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));
const implementation = { name: 'test', version: '1' };

const withKey = (key: string) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const spawned = (url: string, key: string) => ({
  command: process.execPath,
  args: [program, 'mcp'],
  env: environmentFor(url, key),
});

const clients: readonly (readonly [string, Made])[] = [
  [
    'the client of 2026 over HTTP',
    (url, key) => makePresent(new PresentHttp(new URL(`${url}/mcp`), withKey(key)), 'auto'),
  ],
  [
    'the client of 2026 over HTTP, asked to be like those of 2025',
    (url, key) => makePresent(new PresentHttp(new URL(`${url}/mcp`), withKey(key)), 'legacy'),
  ],
  ['the client of 2026 over standard input', (url, key) => makePresent(new PresentStdio(spawned(url, key)), 'auto')],
  ['a client of 2025 over HTTP', (url, key) => makeFormer(new FormerHttp(new URL(`${url}/mcp`), withKey(key)))],
  ['a client of 2025 over standard input', (url, key) => makeFormer(new FormerStdio(spawned(url, key)))],
];

const plan = `# Plan\n\n${'An introduction that goes on. '.repeat(1000)}\n\n## Tasks\n\n- one\n- two\n\n## Notes\n\nnone\n`;

describe('A day in an agent’s life', function () {
  this.timeout(timeout);

  let server: McpTestServer;
  before(async () => {
    server = await openMcpServer();
  });
  after(() => server.close());

  for (const [index, [title, make]] of clients.entries()) {
    it(`succeeds with ${title}`, async () => {
      const folder = `team-${index}`;
      const ada = await server.agent('editor', folder, 'Ada');
      const bo = await server.agent('editor', folder, 'Bo');
      const location = `${folder}/plan.md`;
      await ada.client.call('write_org_doc', { location, content: plan });

      const agent = await make(server.rest.url, bo.key);
      assert.equal((await agent.list()).length, 11);
      const brief = await agent.call('brief_me');
      assert.deepEqual([brief.you.id, brief.reach], [bo.id, [{ location: folder, role: 'editor' }]]);
      assert.equal(brief.changes[0].location, location);

      // Finds it, and reads no more of it than it needs.
      const found = await agent.call('search_org_knowledge', { query: 'tasks two' });
      assert.equal(found.hits[0].location, location);
      const whole = await agent.call('read_org_doc', { location });
      assert.deepEqual(
        whole.outline.map(({ id }: { id: string }) => id),
        ['plan', 'tasks', 'notes'],
      );
      assert.ok(whole.next_start_line > 1);
      const section = await agent.call('read_org_doc', { location, section: 'tasks', expected_commit: whole.commit });
      assert.equal(section.text, '## Tasks\n\n- one\n- two\n\n');

      // Another writer is quicker; the agent sees the change and repeats its own edit on top.
      const edits = [{ op: 'replace_section', section: 'notes', new_text: 'Written by Bo.' }];
      await ada.client.call('edit_org_doc', {
        location,
        expected_commit: whole.commit,
        edits: [{ old_text: '- one', new_text: '- 1' }],
      });
      const stale = await agent.call('edit_org_doc', { location, expected_commit: whole.commit, edits });
      assert.equal(stale.refused.reason, 'stale_if_match');
      assert.ok(stale.refused.diff.includes('+- 1'));
      assert.equal(stale.refused.edits_still_apply, true);
      const edited = await agent.call('edit_org_doc', {
        location,
        expected_commit: stale.refused.current_commit,
        edits,
      });
      assert.equal(edited.replayed, false);

      // Keeps others out of a section, is kept out itself, and asks.
      const claimed = await agent.call('claim', { action: 'take', location, section: 'Notes', purpose: 'rewriting' });
      assert.equal(claimed.claims[0].mine, true);
      await ada.client.call('claim', { action: 'take', location, section: 'tasks', purpose: 'sorting' });
      const blocked = await agent.call('edit_org_doc', {
        location,
        expected_commit: edited.commit,
        edits: [{ old_text: '- two', new_text: '- 2' }],
      });
      assert.deepEqual([blocked.refused.reason, blocked.refused.holder.name], ['claimed', 'Ada']);
      const readers = await agent.call('who_can_read', { location });
      assert.ok(readers.readers.some(({ principal }: Parsed) => principal.id === blocked.refused.holder.id));
      const sent = await agent.call('message', {
        action: 'send',
        to: [blocked.refused.holder.id],
        subject: 'Tasks',
        body: 'May I?',
        about: location,
      });
      assert.equal(sent.replayed, false);
      const inbox = (await ada.client.call('message', { action: 'list', unread_only: true })).done;
      assert.deepEqual([inbox.messages[0].from.id, inbox.messages[0].about], [bo.id, location]);
      const read = (await ada.client.call('message', { action: 'read', message_ids: [inbox.messages[0].message_id] }))
        .done;
      assert.equal(read.messages[0].body, 'May I?');
      await ada.client.call('message', { action: 'mark_read', message_ids: [inbox.messages[0].message_id] });
      const { thread_id } = inbox.messages[0];
      await ada.client.call('message', { action: 'send', thread_id, body: 'Go on.' });
      await ada.client.call('claim', { action: 'release', location, section: 'tasks' });
      const later = await agent.call('brief_me', { since: brief.brief_cursor });
      assert.equal(later.messages[0].preview, 'Go on.');
      assert.equal(later.claims[0].standing, 'active');

      assert.deepEqual(await agent.resources(), [`cartulary://doc/${location}`]);
      assert.ok((await agent.read(`cartulary://doc/${location}`)).includes('Written by Bo.'));
      const released = await agent.call('claim', { action: 'release', claim_id: claimed.claims[0].claim_id });
      assert.equal(released.released, true);
      await agent.close();
    });
  }
});

describe('cartulary mcp', function () {
  this.timeout(timeout);
  const folders: string[] = [];
  afterEach(async () => {
    await tidyUp();
    for (const folder of folders.splice(0)) await removeLeft(folder);
  });

  it('opens the data folder where no server runs, and asks the server where one does', async () => {
    const { data, key } = await prepare();
    const alone = await open(data, key);
    assert.equal((await alone.call('write_org_doc', { location: 'team/a.md', content: 'alone\n' })).created, true);
    await alone.close();
    const server = await serve(data);
    const beside = await open(data, key);
    assert.equal((await beside.call('read_org_doc', { location: 'team/a.md' })).text, 'alone\n');
    await beside.close();
    assert.equal(await server.stop(), 0);
  });

  it('reports which setting is missing', async () => {
    const { data } = await prepare();
    const none = await runProgram(['mcp', '--data', data]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /CARTULARY_KEY/);
  });

  const open = (data: string, key: string): Promise<Agent> =>
    makePresent(
      new PresentStdio({
        command: process.execPath,
        args: [program, 'mcp', '--data', data],
        env: { PATH: process.env['PATH'] ?? '', CARTULARY_KEY: key },
      }),
      'auto',
    );

  /** A data folder that no process has open, with an agent who may write in `team`. */
  async function prepare(): Promise<{ readonly data: string; readonly key: string }> {
    const test = await openTestService({ store: 'disk' });
    const { id } = await test.person('editor', 'team');
    const key = await test.key(id, ['mcp']);
    await test.service.close();
    const data = test.dataFolder ?? assert.fail();
    folders.push(data);
    return { data, key };
  }
});

/** One agent's client, of any kind. */
interface Agent {
  call(name: string, args?: Record<string, unknown>): Promise<Parsed>;
  list(): Promise<readonly string[]>;
  resources(): Promise<readonly string[]>;
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

function environmentFor(url: string, key: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', CARTULARY_URL: url, CARTULARY_KEY: key };
}

/** A tool's answer, in a model's reading. */
function readSaid(result: object): Parsed {
  const { content, isError } = result as { content: [{ text: string }]; isError?: boolean };
  const [{ text }] = content;
  const said = JSON.parse(text);
  return isError === true ? { refused: said.error } : said;
}

type Made = (url: string, key: string) => Promise<Agent>;

async function makeFormer(transport: FormerHttp | FormerStdio): Promise<Agent> {
  const client = new FormerClient(implementation);
  await client.connect(transport);
  return {
    call: async (name, args = {}) => readSaid(await client.callTool({ name, arguments: args })),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && 'text' in content ? content.text : '';
    },
    close: () => client.close(),
  };
}

async function makePresent(transport: PresentHttp | PresentStdio, mode: 'auto' | 'legacy'): Promise<Agent> {
  const client = new PresentClient(implementation, { versionNegotiation: { mode } });
  await client.connect(transport);
  const expected = mode === 'auto' ? '2026-07-28' : '2025-11-25';
  assert.equal(client.getNegotiatedProtocolVersion(), expected);
  return {
    call: async (name, args = {}) => readSaid(await client.callTool({ name, arguments: args })),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    read: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents;
      return content !== undefined && 'text' in content ? content.text : '';
    },
    close: () => client.close(),
  };
}
