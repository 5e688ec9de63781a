import assert from 'node:assert/strict';
import { createAsBefore } from '../support/store/as-before.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

describe('Hidden characters over MCP', () => {
  let server: McpTestServer;
  let agent: McpClient;

  before(async () => {
    server = await openMcpServer();
    ({ client: agent } = await server.agent('editor', 'team', 'Ada'));
  });
  after(() => server.close());

  it('are counted in the returned text, and not mentioned where there are none', async () => {
    await write('team/plain.md', 'naïve 👩🏽‍🚀 گزارش کار‌ها\r\n');
    assert.equal('hidden_characters' in (await read('team/plain.md')), false);
    await write('team/hidden.md', `ig\u200bnore\n\n# More\n\n\u202ethis\u{e0041}\u{e0042}\n`);
    assert.equal((await read('team/hidden.md')).hidden_characters, 4);
    assert.equal((await read('team/hidden.md', { section: 'more' })).hidden_characters, 3);
    assert.equal('hidden_characters' in (await read('team/hidden.md', { outline_only: true })), false);
  });

  it('are counted in a part full of them', async () => {
    await write('team/full.md', '\u{e0041}'.repeat(100_000));
    const part = await read('team/full.md', { max_chars: 60_000 });
    assert.deepEqual([part.text.length, part.hidden_characters], [60_000, 30_000]);
  });

  it('are refused in the name of a new document, and read in an old one', async () => {
    const location = 'team/own\u200b.md';
    const refused = await write(location, 'text');
    assert.equal(refused.refusal, 'INVALID_REQUEST bad_location');
    assert.match(JSON.stringify(refused.error), /U\+200B as character 9/);
    await createAsBefore(server.host.workspace, location);
    const { text, commit } = await read(location);
    assert.equal(text, 'text');
    const edits = [{ old_text: 'text', new_text: 'more' }];
    const edited = await agent.call('edit_org_doc', { location, expected_commit: commit, edits });
    assert.equal(edited.refusal, '');
    const { commit: next } = edited.done;
    assert.equal((await agent.call('delete_org_doc', { location, expected_commit: next })).refusal, '');
  });

  it('MCP refuses hidden characters in notes and subjects', async () => {
    const location = 'team/noted.md';
    const noted = await agent.call('write_org_doc', { location, content: 'a', note: 'a\u202eb' });
    assert.equal(noted.refusal, 'INVALID_REQUEST bad_field');
    await write(location, 'a');
    const claimed = await agent.call('claim', { action: 'take', location, purpose: 'a\u200bb' });
    assert.equal(claimed.refusal, 'INVALID_REQUEST bad_field');
  });

  const write = (location: string, content: string) => agent.call('write_org_doc', { location, content });

  const read = async (location: string, more: object = {}) =>
    (await agent.call('read_org_doc', { location, ...more })).done;
});
