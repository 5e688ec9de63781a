import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { findNearNames, type NameView } from '../../lib/operations/documents/find-near-names.js';
import { Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

const commit = 'a'.repeat(40);

describe('The answer where a caller finds nothing', () => {
  let server: McpTestServer;
  let agent: McpClient;
  before(async () => {
    server = await openMcpServer();
    agent = (await server.agent('editor', 'handbook', 'Ada')).client;
    const { id, client } = await server.agent('reader', 'shelf', 'Cy');
    assert.ok(client !== agent);
    const operator = new Client(server.host.workspace, 'operator');
    await server.host.grant('editor', { type: 'principal', id }, 'handbook/policies');
    for (const location of [
      'handbook/policies/leave.md',
      'handbook/policies/travel.md',
      'handbook/policies/travel-abroad.md',
      'handbook/onboarding.md',
      'shelf/travel.md',
      'secret/travels.md',
      'secret/policies/leaves.md',
    ])
      await operator.create(location, `# ${location}\n`);
  });
  after(() => server.close());

  it('names up to three documents in reach with names like it', async () => {
    assert.deepEqual(await nearOf('handbook/policies/leaves.md'), ['handbook/policies/leave.md']);
    assert.deepEqual(await nearOf('handbook/policies/Travel'), [
      'handbook/policies/travel.md',
      'handbook/policies/travel-abroad.md',
    ]);
    assert.deepEqual(await nearOf('handbok/polices/leave.md'), ['handbook/policies/leave.md'], 'misspelled folders');
    assert.deepEqual(await nearOf('handbook/leave.md'), ['handbook/policies/leave.md'], 'another folder');
    assert.deepEqual(await nearOf('onboarding'), ['handbook/onboarding.md']);
    assert.equal(await nearOf('handbook/zzz.md'), undefined);
    const { error } = await agent.call('edit_org_doc', {
      location: 'handbook/onbording.md',
      expected_commit: commit,
      edits: [{ op: 'append', new_text: 'x' }],
    });
    assert.deepEqual([error.near, error.reason], [['handbook/onboarding.md'], 'not_found']);
    assert.match(error.hint, /one of near/);
  });

  it('says that a location is a folder', async () => {
    for (const location of ['handbook', 'handbook/policies']) {
      const { error } = await agent.call('read_org_doc', { location });
      assert.deepEqual([error.is_folder, error.near], [true, undefined]);
      assert.match(error.hint, /list_org_docs/);
    }
    for (const location of ['secret', 'secret/policies', 'shelf', 'nowhere']) {
      assert.equal((await agent.call('read_org_doc', { location })).error.is_folder, undefined, location);
    }
  });

  it('is the same for hidden, absent and write-protected documents, but for the name that was sent', async () => {
    const answer = async (client: McpClient, tool: string, args: object): Promise<string> =>
      (await client.call(tool, args)).text.replace(/"request_id":"\w+"/, '');
    const read = (location: string) => answer(agent, 'read_org_doc', { location });
    assert.equal(await read('secret/travels.md'), await read('absent/travels.md'));
    assert.equal(await read('secret/policies/leaves.md'), await read('secret/policies/leavez.md'));
    const { client } = await server.agent('reader', '', 'Reader');
    const remove = (location: string) => answer(client, 'delete_org_doc', { location, expected_commit: commit });
    const denied = await remove('shelf/travel.md');
    assert.doesNotMatch(denied, /"shelf\/travel\.md"/);
    await new Client(server.host.workspace, 'operator').delete('shelf/travel.md');
    assert.equal(await remove('shelf/travel.md'), denied);
  });

  it('names headings that are like a misspelled one in a long document', async () => {
    const location = 'handbook/long.md';
    const parts = ['Introduction', 'Responsibilities', 'Escalation', 'Deadlines', 'Reviews', 'Archive', 'Glossary'];
    const content = [...parts, 'Contacts', 'Appendix', 'Changes'].map((title) => `## ${title}\n\nx\n`).join('\n');
    await agent.call('write_org_doc', { location, content });
    const { error } = await agent.call('read_org_doc', { location, section: 'Responsabilites' });
    assert.equal(error.sections[0], 'responsibilities');
  });

  const nearOf = async (location: string, client = agent): Promise<unknown> =>
    (await client.call('read_org_doc', { location })).error.near;
});

describe('Names near to one', () => {
  it('ask the same of a view however much is hidden beside it', async () => {
    const without = await open('deep/a/b', 0);
    const withHidden = await open('deep/a/b', 60);
    const [one, other] = [watch(without.test, without.id), watch(withHidden.test, withHidden.id)];
    assert.deepEqual(one.names, { near: ['deep/a/b/c/plan.md'], isFolder: false });
    assert.deepEqual(other.names, one.names);
    assert.deepEqual(other.asked, one.asked);
    assert.equal(other.shown(), one.shown());
    await Promise.all([without.test.close(), withHidden.test.close()]);
  });

  it('look at few of many documents', async () => {
    const { test, id } = await open('deep/a/b/c/more', 320);
    const { names, asked, shown } = watch(test, id);
    assert.equal(names.near[0], 'deep/a/b/c/plan.md');
    assert.ok(shown() <= 300 && asked.length <= 130, `${shown()} documents, ${asked.length} questions`);
    await test.close();
  });

  it('look at the granted places most like the one sought, where there are many', async () => {
    const { test, id } = await open('deep/a/b/c/more', 1);
    for (let n = 0; n < 101; n += 1) await test.grant('reader', { type: 'principal', id }, `other/folder-${n}`);
    const { names, asked } = watch(test, id);
    assert.deepEqual(names.near.slice(0, 1), ['deep/a/b/c/plan.md']);
    assert.ok(asked.length <= 40, `${asked.length} questions`);
    await test.close();
  });

  /** Records everything that is asked of a view, and how much it showed. */
  function watch(test: TestService, principalId: string) {
    const caller = { principalId, kind: 'agent', credentialId: null, interface: 'mcp', requestId: 'req_1' } as const;
    const view = test.workspace.view(caller);
    const asked: unknown[] = [];
    let shown = 0;
    const watched: NameView = {
      document: (location) => (asked.push(['document', location]), view.document(location)),
      folder: (location) => (asked.push(['folder', location]), view.folder(location)),
      documents(...args) {
        const page = view.documents(...args);
        shown += page.items.length;
        asked.push(['documents', ...args]);
        return page;
      },
      folders(...args) {
        asked.push(['folders', ...args]);
        return view.folders(...args);
      },
    };
    const names = findNearNames(watched, 'deep/a/b/c/planz.md' as Location, view.searchReach());
    return { names, asked, shown: () => shown };
  }

  async function open(location: string, count: number): Promise<{ readonly test: TestService; readonly id: string }> {
    const test = await openTestService();
    const id = await test.principal('Agent', 'agent');
    await test.grant('reader', { type: 'principal', id }, 'deep/a/b/c');
    const operator = new Client(test.workspace, 'operator');
    await operator.create('deep/a/b/c/plan.md', 'x');
    for (let n = 0; n < count; n += 1) await operator.create(`${location}/plan-${n}.md`, 'x');
    return { test, id };
  }
});
