import assert from 'node:assert/strict';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

const plan = '# Plan\n\nintro\n\n## Tasks\n\n- one\n\n## Notes\n\nnone\n';

describe('claim, and notes', () => {
  let server: McpTestServer;
  let ada: McpClient;
  let bo: McpClient;
  let count = 0;
  before(async () => {
    server = await openMcpServer();
    ada = (await server.agent('editor', 'team', 'Ada')).client;
    bo = (await server.agent('editor', 'team', 'Bo')).client;
  });
  after(() => server.close());

  it('release the only claim on a document, on whatever section it is, and again without harm', async () => {
    const { location } = await write();
    await take(location, 'tasks');
    for (let time = 0; time < 2; time += 1) {
      const { done } = await release(location);
      assert.deepEqual([done.released, done.section], [true, 'tasks']);
    }
    assert.deepEqual(await held(location), []);
    assert.equal((await bo.call('claim', { action: 'release', location })).refusal, 'INVALID_REQUEST no_claim');
  });

  it('refuse to release one of several claims unless the section is named', async () => {
    const { location } = await write();
    await take(location, 'tasks');
    await take(location, 'notes');
    const several = await release(location);
    assert.equal(several.refusal, 'INVALID_REQUEST section_ambiguous');
    assert.deepEqual(several.error.sections.toSorted(), ['notes', 'tasks']);
    assert.deepEqual((await held(location)).length, 2);
    assert.equal((await release(location, 'Tasks')).done.section, 'tasks');
    assert.equal((await release(location)).done.section, 'notes');
  });

  it('release the claim on the whole document first, and nothing more when that is repeated', async () => {
    const { location } = await write();
    await take(location, 'tasks');
    await take(location, '');
    assert.equal((await release(location)).done.section, undefined);
    assert.equal((await release(location)).done.section, undefined, 'the repetition of a lost answer');
    assert.deepEqual(await held(location), ['tasks']);
    // One that was taken after that is meant by the next release.
    await release(location, 'tasks');
    server.host.clock.advance(1000);
    await take(location, 'notes');
    assert.equal((await release(location)).done.section, 'notes');
  });

  it('show the holder’s purpose to the writer whom they keep out', async () => {
    const document = await write();
    await take(document.location, 'tasks', 'sorting the tasks');
    const edits = [{ old_text: '- one', new_text: '- 1' }];
    const { refusal, error } = await bo.call('edit_org_doc', { ...document, edits });
    assert.deepEqual([refusal, error.purpose, error.section], ['CONFLICT claimed', 'sorting the tasks', 'tasks']);
    assert.match(error.hint, /message with action send/);
    await take(document.location, 'notes');
    const silent = await bo.call('edit_org_doc', { ...document, edits: [{ old_text: 'none', new_text: 'some' }] });
    assert.equal('note' in silent.error, false);
  });

  it('show why a version was made, and keep why a document was deleted', async () => {
    const document = await write();
    assert.equal((await bo.call('read_org_doc', { location: document.location })).done.note, 'First draft and more');
    const edits = [{ old_text: '- one', new_text: '- 1' }];
    const { commit } = (await ada.call('edit_org_doc', { ...document, edits })).done;
    assert.equal('note' in (await bo.call('read_org_doc', { location: document.location })).done, false);
    const gone = { location: document.location, expected_commit: commit, note: 'Merged into another' };
    const { done } = await ada.call('delete_org_doc', gone);
    assert.equal((await ada.call('delete_org_doc', gone)).done.replayed, true);
    const { objects } = server.host.workspace;
    assert.match((await objects.readCommit(done.commit)).message, /Merged into another/);
  });

  const take = (location: string, section: string, note = '') =>
    ada.call('claim', { action: 'take', location, section, purpose: note });

  const release = (location: string, section = '') => ada.call('claim', { action: 'release', location, section });

  const held = async (location: string): Promise<readonly unknown[]> =>
    (await ada.call('claim', { action: 'list', location })).done.claims.map(
      (claim: { readonly section?: string }) => claim.section ?? 'all',
    );

  async function write(): Promise<{ readonly location: string; readonly expected_commit: string }> {
    count += 1;
    const location = `team/claimed-${count}.md`;
    const { done } = await ada.call('write_org_doc', { location, content: plan, note: 'First draft\nand more' });
    return { location, expected_commit: done.commit };
  }
});
