import assert from 'node:assert/strict';
import { eraseAt } from '../support/store/erase-at.js';
import { Client } from '../support/store/client.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Agents have no keys for retries: a call with a lost answer is sent again unchanged. */
describe('An unchanged repetition of a call', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let other: McpClient;
  let agentId: string;
  let otherId: string;

  beforeEach(async () => {
    server = await openMcpServer();
    ({ client: agent, id: agentId } = await server.agent('editor', 'team', 'Ada'));
    ({ client: other, id: otherId } = await server.agent('editor', 'team', 'Bo'));
  });
  afterEach(() => server.close());

  const create = { location: 'team/plan.md', content: '# Plan\n' };

  it('repeats the whole brief of a lost answer, and marks it as a repetition', async () => {
    await other.call('write_org_doc', create);
    const lost = (await agent.call('brief_me')).done;
    assert.equal('repeats_last' in lost, false);
    advance(9 * minute);
    const again = (await agent.call('brief_me')).done;
    assert.deepEqual([again.changes, again.repeats_last], [lost.changes, true]);
    const { changes, ...more } = (await agent.call('brief_me', { since: lost.brief_cursor })).done;
    assert.deepEqual([changes, 'repeats_last' in more], [[], false]);
    advance(10 * minute);
    assert.deepEqual((await agent.call('brief_me')).done.changes, []);
  });

  it('names the page with the last of many comments', async () => {
    await other.call('write_org_doc', create);
    const client = new Client(server.host.workspace, otherId);
    for (let count = 1; count <= 21; count += 1) {
      await client.comment(create.location, `${count}`, { mentions: [agentId] });
    }
    const first = (await agent.call('brief_me')).done;
    assert.deepEqual([first.comments.length, first.comments[0].text, first.more_comments], [20, '21', true]);
    const second = (await agent.call('brief_me', { cursor: first.next_cursor })).done;
    assert.deepEqual([second.comments.length, second.comments[0].text, second.more_comments], [1, '1', false]);
    assert.equal(second.next_cursor, undefined);
  });

  it('does not bring back a document deleted by another person since', async () => {
    await agent.call('write_org_doc', create);
    await remove(other);
    const again = await agent.call('write_org_doc', create);
    assert.equal(again.refusal, 'CONFLICT deleted_since');
    assert.equal(again.error.modified_by.name, 'Bo');
    assert.match(again.error.hint, /Nothing was written/);
    assert.equal((await agent.call('read_org_doc', { location: create.location })).refusal, 'NOT_FOUND not_found');
    // The person who deleted it may write it again. So may its maker with other words, or after the day is over.
    assert.equal((await agent.call('write_org_doc', { ...create, content: '# Other\n' })).done.created, true);
    await remove(agent);
    assert.equal((await other.call('write_org_doc', create)).done.created, true);
    await remove(other);
    advance(day);
    assert.equal((await agent.call('write_org_doc', create)).done.created, true);
  });

  it('makes a document again that its maker has deleted', async () => {
    await agent.call('write_org_doc', create);
    await remove(agent);
    assert.deepEqual((await agent.call('write_org_doc', create)).done.created, true);
  });

  it('writes an erased document again: no kept value could recognise it', async () => {
    await agent.call('write_org_doc', create);
    const { id } = await eraseAt(server.host.workspace, create.location);
    await server.host.workspace.eraser.finished(id);
    assert.equal((await agent.call('write_org_doc', create)).done.replayed, false);
  });

  const advance = (milliseconds: number): void => server.host.clock.advance(milliseconds);

  async function remove(client: McpClient, location = create.location): Promise<void> {
    const { done } = await client.call('read_org_doc', { location });
    assert.equal((await client.call('delete_org_doc', { location, expected_commit: done.commit })).refusal, '');
  }
});
