import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { presentRefusal } from '../../lib/commands/command-refusal.js';
import { createFolder } from '../../lib/operations/folders/create-folder.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import type { Parsed } from '../support/http/server.js';
import { Client } from '../support/store/client.js';
import { mirror } from '../support/store/place.js';
import { operator } from '../support/store/service.js';

describe('A refusal in a mirror', () => {
  const id = 'prn_con00000000000000000000000';
  let server: McpTestServer;
  let agent: McpClient;
  let stranger: McpClient;
  let admin: Client;

  before(async () => {
    server = await openMcpServer();
    admin = new Client(server.host.workspace, operator.principalId);
    const location = parseLocation('team/drive');
    await admin.perform(createFolder, { location });
    await server.host.workspace.journal.write({
      run({ tables, now }) {
        tables.principals.insert({ id, kind: 'connector', displayName: 'Drive', createdAt: now, disabledAt: null });
        const row = { id, kind: 'webdav', location, settings: {}, secret: null, interval: 1, createdAt: now } as const;
        tables.connectors.insert({ ...row, createdBy: operator.principalId });
      },
    });
    await mirror(server.host, location, id);
    agent = (await server.agent('editor', 'team', 'Ada')).client;
    stranger = (await server.agent('editor', 'other', 'Bo')).client;
  });
  after(() => server.close());

  const input = { location: 'team/drive/a.md', content: 'text' };

  it('names the connector and its kind to an agent that can read there', async () => {
    const { refusal, error } = await agent.call('write_org_doc', input);
    assert.equal(refusal, 'INVALID_REQUEST read_only_source');
    assert.deepEqual(error.connector, { id, kind: 'webdav', name: 'Drive' });
    assert.match(error.message, /the source of the connector "Drive"/);
  });

  it('says nothing of it to an agent that cannot', async () => {
    const nowhere = await stranger.call('write_org_doc', { ...input, location: 'nowhere/a.md' });
    const { error } = await stranger.call('write_org_doc', input);
    const withoutId = (said: Parsed): Parsed => ({ ...said, request_id: undefined });
    assert.deepEqual(withoutId(error), withoutId(nowhere.error));
  });

  it('names it on the command line and over REST alike', async () => {
    const refused: unknown = await admin.create(input.location).catch((error: unknown) => error);
    assert.ok(refused instanceof Refusal);
    const { details } = presentRefusal(refused);
    assert.deepEqual(details, { reason: 'read_only_source', connector: { id, kind: 'webdav', display_name: 'Drive' } });
    const ada = await server.person('editor', 'team');
    const over = await ada.create(input.location);
    assert.deepEqual(over.json.error.details, details);
  });
});
