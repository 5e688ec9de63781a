import assert from 'node:assert/strict';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { operator } from '../support/store/service.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

describe('Agents that search for lines', () => {
  let server: McpTestServer;
  let agent: McpClient;

  before(async () => {
    server = await openMcpServer();
    ({ client: agent } = await server.agent('editor', 'team', 'Ada'));
    const content = '# Travel\n\n## Hotels\n\nUp to 140 EUR a night.\nBook early.\n';
    await agent.call('write_org_doc', { location: 'team/travel.md', content });
  });
  after(() => server.close());

  it('get each line with one around it, its section and where the snippet begins', async () => {
    const { done } = await agent.call('search_org_knowledge', { query: '140 EUR', match: 'exact' });
    const [hit] = done.hits;
    assert.deepEqual(
      [hit.location, hit.section, hit.start_line, hit.match_line, hit.snippet],
      ['team/travel.md', 'hotels', 4, 5, '\nUp to 140 EUR a night.\nBook early.'],
    );
    const none = await agent.call('search_org_knowledge', { query: '140 eur', match: 'exact', context: 0 });
    assert.deepEqual(none.done, { hits: [] });
    const pattern = { query: '(?i)\\d+ eur', match: 'pattern', context: 0, location: 'team/travel.md' };
    assert.equal((await agent.call('search_org_knowledge', pattern)).done.hits[0].snippet, 'Up to 140 EUR a night.');
  });

  it('are told where a pattern is at fault, and what to do', async () => {
    const answer = await agent.call('search_org_knowledge', { query: 'ab(?=c)', match: 'pattern' });
    assert.equal(answer.refusal, 'INVALID_REQUEST bad_pattern');
    assert.match(answer.text, /as character 3/);
    const long = await agent.call('search_org_knowledge', { query: 'a'.repeat(501), match: 'exact' });
    assert.equal(long.refusal, 'INVALID_REQUEST query_too_long');
  });

  it('get as many lines as an answer has room for, and the rest from its cursor', async () => {
    for (let index = 0; index < 12; index += 1) {
      await agent.call('write_org_doc', {
        location: `team/long/${index}.md`,
        content: `needle ${'x'.repeat(380)}\n`.repeat(20),
      });
    }
    const seen = new Set<string>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { done, text } = await agent.call('search_org_knowledge', {
        query: 'needle',
        match: 'exact',
        context: 5,
        limit: 50,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(text.length < 50_000, `${text.length} characters`);
      for (const { location, match_line } of done.hits) seen.add(`${location}:${match_line}`);
      cursor = done.next_cursor;
      pages += 1;
    } while (cursor !== undefined);
    assert.equal(seen.size, 240);
    assert.ok(pages > 12, 'pages end in the middle of documents');
  });

  it('are told of a document that has changed since the page before', async () => {
    await agent.call('write_org_doc', { location: 'team/many.md', content: 'pebble\n'.repeat(30) });
    const asked = { query: 'pebble', match: 'exact', limit: 50 };
    const first = await agent.call('search_org_knowledge', asked);
    assert.equal(first.done.hits.length, 20);
    const read = await agent.call('read_org_doc', { location: 'team/many.md' });
    await agent.call('write_org_doc', {
      location: 'team/many.md',
      content: 'pebble',
      expected_commit: read.done.commit,
      allow_shrink: true,
    });
    const next = await agent.call('search_org_knowledge', { ...asked, cursor: first.done.next_cursor });
    assert.deepEqual(next.done, { hits: [], changed: ['team/many.md'] });
  });

  it('use up their rate by it as by several calls', async () => {
    const strict = await openMcpServer();
    try {
      const { client } = await strict.agent('editor', 'team', 'Eve');
      await client.call('write_org_doc', { location: 'team/a.md', content: 'pebble' });
      await perform(strict.host.workspace, operator, changePolicy, { requestsPerMinute: 60, burst: 4 });
      const asked = { query: 'pebble', match: 'exact' };
      const outcomes: string[] = [];
      for (let call = 0; call < 4; call += 1) outcomes.push((await client.call('search_org_knowledge', asked)).refusal);
      assert.deepEqual([outcomes[0], outcomes.at(-1)], ['', 'RATE_LIMITED rate_limited'], outcomes.join());
    } finally {
      await strict.close();
    }
  });
});
