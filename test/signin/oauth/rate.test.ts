import assert from 'node:assert/strict';
import { mountMcp } from '../../../lib/mcp/mount-mcp.js';
import { changePolicy } from '../../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../../lib/operations/perform.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { noLog } from '../../support/http/log.js';
import { operator } from '../../support/store/service.js';
import { McpClient } from '../../support/http/open-mcp.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

const burst = 5;

describe('The rate of applications that act as people', () => {
  let server: OAuthServer;
  let person: Member;
  beforeEach(async () => {
    server = await openOAuthServer();
    const { rest, host } = server.server;
    const { later, addressOf } = rest;
    const { readAccessToken } = server.face;
    const options = { version: '0.0.0', log: noLog, publicUrl: server.url, corsOrigins: [], later, addressOf };
    rest.mount(mountMcp(host.service, { ...options, readAccessToken }));
    await limit(host.workspace);
    person = await server.person();
  });
  afterEach(() => server.close());

  it('is counted for the person, for all applications together', async () => {
    const tokens = [await letIn(person), await letIn(person), await letIn(person)];
    const statuses = [];
    for (let count = 0; count < burst; count += 1) statuses.push(await ask(tokens[count % tokens.length] ?? ''));
    assert.deepEqual(
      statuses,
      Array.from({ length: burst }, () => 200),
    );
    for (const token of tokens) assert.equal(await ask(token), 429);
    assert.equal(await ask(await letIn(person)), 429, 'one more application has nothing more');
    server.host.clock.advance(1000);
    assert.deepEqual([await ask(tokens[0] ?? ''), await ask(tokens[1] ?? '')], [200, 429]);
  });

  it('and so are their requests under way', async () => {
    const { workLimits } = server.host.service;
    const tokens = [await letIn(person), await letIn(person)];
    const all = workLimits.requests.takeNow(`acme/${person.principalId}`, 100);
    for (const token of tokens) assert.equal(await ask(token), 429);
    all();
    for (const token of tokens) assert.equal(await ask(token), 200);
  });

  it('leaves others alone: another person, and the same person in another workspace', async () => {
    const other = await server.server.addWorkspace();
    await limit(other.host.workspace);
    const { name } = other.host.workspace;
    const principalId = await other.host.principal('ada elsewhere');
    server.join(name, principalId);
    const token = await letIn(person);
    const elsewhere = await letIn(person, name);
    const others = await letIn(await server.person('bea'));
    for (let count = 0; count <= burst; count += 1) await ask(token);
    assert.equal(await ask(token), 429);
    assert.equal(await ask(others), 200);
    assert.equal(await ask(elsewhere), 200);
  });

  const limit = (workspace: Workspace) => perform(workspace, operator, changePolicy, { requestsPerMinute: 60, burst });

  const ask = async (token: string) => (await new McpClient(server.url, token).request('tools/list')).status;

  /** A token of an application of its own. */
  async function letIn(member: Member, workspace = 'acme'): Promise<string> {
    const client = await OAuthClient.register(server);
    return (await client.signIn(server.browserOf(member), {}, { workspace })).access_token;
  }
});
