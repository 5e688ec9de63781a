import assert from 'node:assert/strict';
import { operatorId } from '../../lib/domain/principal.js';
import { Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openMcpServer, type McpClient, type McpTestServer, type Said } from '../support/http/open-mcp.js';

describe('An agent that deleted a document', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let other: McpClient;
  let keeper: Client;
  let location: string;
  let commit: string;
  let serial = 0;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent } = await server.agent('editor', 'team', 'Ada'));
    ({ client: other } = await server.agent('editor', 'team', 'Bo'));
    keeper = new Client(server.host.workspace, operatorId);
  });
  after(() => server.close());
  beforeEach(async () => {
    serial += 1;
    location = `team/doc-${serial}.md`;
    ({ commit } = (await agent.call('write_org_doc', { location, content: '# Kept\n' })).done);
  });

  it('brings it back with the arguments of the delete, once however often it asks', async () => {
    await remove();
    const { done } = await undo();
    assert.deepEqual([done.undone, done.replayed, done.location], [true, false, location]);
    const again = (await undo()).done;
    assert.deepEqual([again.commit, again.replayed], [done.commit, true]);
    const read = (await agent.call('read_org_doc', { location })).done;
    assert.deepEqual([read.text, read.commit], ['# Kept\n', done.commit]);
    const { versions } = (await agent.call('read_org_doc', { location, since_commit: commit })).done;
    assert.deepEqual(
      versions.map((each: { commit: string }) => each.commit),
      [done.commit],
    );
  });

  it('may name the commit of the deletion as well', async () => {
    const deletion = (await remove()).done.commit;
    const { done } = await undo(agent, deletion);
    assert.equal(done.replayed, false);
    const again = (await undo(agent, deletion)).done;
    assert.deepEqual([again.commit, again.replayed], [done.commit, true]);
  });

  it('brings back nothing that another principal deleted, nor what it did not delete last', async () => {
    await requireUnknown(await undo());
    await remove(other);
    await requireUnknown(await undo());
    assert.equal((await undo(other)).refusal, '');
    await requireUnknown(await undo(other, 'f'.repeat(40)), other);
    const { commit: latest } = (await agent.call('read_org_doc', { location })).done;
    await agent.call('delete_org_doc', { location, expected_commit: latest });
    const made = await other.call('write_org_doc', { location, content: 'another\n' });
    const occupied = await undo(agent, latest);
    assert.deepEqual([occupied.refusal, occupied.error.location], ['CONFLICT location_occupied', location]);
    await other.call('delete_org_doc', { location, expected_commit: made.done.commit });
    await requireUnknown(await undo(agent, latest), agent);
  });

  it('has no replay of an undo after a later change', async () => {
    await remove();
    const { done } = await undo();
    const edits = [{ op: 'append', new_text: 'more\n' }];
    await agent.call('edit_org_doc', { location, expected_commit: done.commit, edits });
    await requireUnknown(await undo());
  });

  it('brings back nothing where it may not write any more, nor what was erased', async () => {
    const { id, client } = await server.agent('editor', 'lent', 'Lent');
    location = 'lent/doc.md';
    ({ commit } = (await client.call('write_org_doc', { location, content: 'text\n' })).done);
    await remove(client);
    await server.host.revoke('editor', { type: 'principal', id }, 'lent');
    await server.host.grant('reader', { type: 'principal', id }, 'lent');
    await requireUnknown(await undo(client), client);
    await server.host.grant('editor', { type: 'principal', id }, 'lent');
    const erasure = await eraseAt(server.host.workspace, location, { isDeleted: true });
    await requireUnknown(await undo(client), client);
    await server.host.workspace.eraser.finished(erasure.id);
    await requireUnknown(await undo(client), client);
  });

  it('learns nothing of a hidden document made there since', async () => {
    const id = await server.host.principal('Own', 'agent');
    const own = server.client(await server.host.key(id, ['mcp']));
    location = 'shut/own.md';
    await keeper.create(location, 'text\n');
    await server.host.grant('editor', { type: 'principal', id }, location, 'document');
    ({ commit } = (await own.call('read_org_doc', { location })).done);
    await remove(own);
    await keeper.create(location, 'hidden\n');
    await requireUnknown(await undo(own), own);
  });

  it('takes no claim for it, and leaves one record of each call', async () => {
    await remove();
    const from = server.records().length;
    const args = { location, expected_commit: commit, undo: true };
    assert.equal(
      (await agent.call('delete_org_doc', { ...args, claim_id: 'clm_x' })).refusal,
      'INVALID_REQUEST unknown_field',
    );
    await undo(other);
    await undo();
    await undo();
    const records = server.records().slice(from);
    assert.deepEqual(
      records.map(({ record: { action, outcome }, text }) => [
        action,
        outcome,
        JSON.parse(text?.detail ?? '{}').replayed,
      ]),
      [
        ['tool.call', 'refused', undefined],
        ['document.undelete', 'refused', undefined],
        ['document.undelete', 'done', undefined],
        ['document.undelete', 'done', true],
      ],
    );
  });

  const remove = (client = agent) => client.call('delete_org_doc', { location, expected_commit: commit });

  const undo = (client = agent, expected_commit = commit) =>
    client.call('delete_org_doc', { location, expected_commit, undo: true });

  /** It is told what it is told for a commit that never was. */
  async function requireUnknown(said: Said, client = agent): Promise<void> {
    assert.equal(said.refusal, 'NOT_FOUND not_found');
    assert.equal(told(said), told(await undo(client, 'f'.repeat(40))));
  }
});

const told = ({ text }: Said): string => text.replace(/req_\w+/, '');
