import assert from 'node:assert/strict';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';

const names = [
  'list_org_folders',
  'list_org_docs',
  'read_org_doc',
  'search_org_knowledge',
  'write_org_doc',
  'edit_org_doc',
  'delete_org_doc',
  'brief_me',
  'who_can_read',
  'claim',
  'message',
];

describe('MCP beside REST', () => {
  let server: McpTestServer;
  before(async () => {
    server = await openMcpServer();
  });
  after(() => server.close());

  it('MCP: the tools are these eleven, and the edit tool takes an expected_commit', async () => {
    const { client } = await server.agent('reader');
    const { tools } = (await client.request('tools/list')).json.result as {
      tools: { name: string; inputSchema: { required?: string[]; properties: Record<string, unknown> } }[];
    };
    assert.deepEqual(new Set(tools.map(({ name }) => name)), new Set(names));
    assert.equal(tools.length, names.length);
    const edit = tools.find(({ name }) => name === 'edit_org_doc');
    assert.ok(edit?.inputSchema.required?.includes('expected_commit'));
    assert.ok('expected_commit' in (edit?.inputSchema.properties ?? {}));
  });

  it('Authentication 3: what opens /mcp opens nothing on /v1, and the other way round', async () => {
    const { id, key, client } = await server.agent('reader');
    assert.equal((await client.request('tools/list')).status, 200);
    assert.equal((await server.as(key).get('/v1/folders')).refusal, 'UNAUTHENTICATED');
    const rest = await server.host.key(id, ['rest']);
    assert.equal((await server.as(rest).get('/v1/folders')).status, 200);
    const git = await server.host.key(id, ['git']);
    const [forRest, forGit] = await Promise.all([rest, git].map((other) => server.client(other).request('tools/list')));
    assert.deepEqual([forRest?.status, forGit?.status], [401, 401]);
    assert.deepEqual(forRest?.json.error.message, forGit?.json.error.message);
  });

  it('Audit: a tool that is called leaves one record, done or refused, of the same chain as REST', async () => {
    const { id, client } = await server.agent('reader', 'team');
    const before = server.records().length;
    await client.call('list_org_folders');
    await client.call('read_org_doc', { location: 'team/absent.md' });
    await client.call('write_org_doc', { location: 'team/absent.md', content: 'x' });
    const records = server.records().slice(before);
    assert.deepEqual(
      records.map(({ record }) => [record.interface, record.principal, record.action, record.outcome]),
      [
        ['mcp', id, 'folder.list', 'done'],
        ['mcp', id, 'document.read', 'refused'],
        ['mcp', id, 'document.create', 'refused'],
      ],
    );
  });
});
