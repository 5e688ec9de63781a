import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { operator } from '../support/store/service.js';
import { openMcpServer, type McpClient, type McpTestServer, type Posted } from '../support/http/open-mcp.js';

const burst = 3;

const list = { name: 'list_org_docs', arguments: {} };

describe('An agent that calls too often', () => {
  let server: McpTestServer;
  let limited: McpClient;
  let other: McpClient;

  beforeEach(async () => {
    server = await openMcpServer();
    limited = (await server.agent('editor', 'team', 'Limited')).client;
    other = (await server.agent('editor', 'team', 'Other')).client;
    await perform(server.host.workspace, operator, changePolicy, { requestsPerMinute: 60, burst });
    for (let call = 0; call < burst; call += 1) assert.equal((await older(limited, 'tools/call', list)).status, 200);
  });
  afterEach(() => server.close());

  it('learns it from the answer of the tool, with the seconds to wait, in both eras', async () => {
    const records = server.records().length;
    for (const posted of [await older(limited, 'tools/call', list), await limited.request('tools/call', list)]) {
      assert.equal(posted.status, 200);
      const { code, retry_after_s, hint } = errorOf(posted);
      assert.deepEqual([code, retry_after_s], ['RATE_LIMITED', 1]);
      assert.match(hint, /retry_after_s/);
    }
    assert.equal((await older(limited, 'tools/call', list)).json.id, 'seven');
    assert.equal(server.records().length, records, 'no call was made');
    server.host.clock.advance(1000);
    assert.equal((await older(limited, 'tools/call', list)).json.result.isError, undefined);
  });

  it('learns it by 429 where no tool can say it', async () => {
    assert.equal((await limited.request('resources/list')).status, 429);
    assert.equal((await limited.post('not JSON')).status, 429);
    const large = { name: 'write_org_doc', arguments: { location: 'team/a.md', content: 'x'.repeat(70_000) } };
    const refused = await limited.request('tools/call', large);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
  });

  it('calls nothing by a message of a form of its own, and no unknown tool', async () => {
    const traced = { ...list, _meta: { trace: 'x' } };
    assert.equal(errorOf(await older(limited, 'tools/call', traced)).code, 'RATE_LIMITED');
    assert.equal(errorOf(await older(limited, 'tools/call', { name: 'unknown' })).code, 'RATE_LIMITED');
    assert.equal((await older(limited, 'tools/call', list, null)).status, 429);
  });

  it('gets 429 unread once it floods, and another key is not touched by it', async () => {
    const statuses: number[] = [];
    for (let call = 0; call < 2 * burst; call += 1) statuses.push((await limited.request('tools/call', list)).status);
    assert.deepEqual(statuses, [...Array<number>(burst).fill(200), ...Array<number>(burst).fill(429)]);
    assert.equal((await other.request('tools/call', list)).json.result.isError, undefined);
    server.host.clock.advance(60_000);
    assert.equal((await limited.request('tools/call', list)).json.result.isError, undefined);
  });
});

describe('An agent of a service with too much under way', () => {
  let server: McpTestServer;

  before(async () => {
    server = await openMcpServer({ workLimits: { requests: { inAll: 0 } } });
  });
  after(() => server.close());

  it('learns it from the answer of the tool', async () => {
    const { client } = await server.agent('editor', 'team');
    const { code, retry_after_s } = errorOf(await client.request('tools/call', list));
    assert.deepEqual([code, retry_after_s], ['UNAVAILABLE', 2]);
    assert.equal((await client.request('tools/list')).status, 503);
  });
});

const older = (client: McpClient, method: string, params: object = {}, id: unknown = 'seven'): Promise<Posted> =>
  client.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));

/** The error in a tool's answer of either era. */
function errorOf({ json }: Posted): { readonly code: string; readonly retry_after_s: number; readonly hint: string } {
  assert.equal(json.result.isError, true);
  assert.equal(json.result.structuredContent, undefined);
  return JSON.parse(json.result.content[0].text).error;
}
