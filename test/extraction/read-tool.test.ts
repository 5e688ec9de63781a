import assert from 'node:assert/strict';
import { makePdf, makePdfOf, makeStream } from '../support/files/make-pdf.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';

describe('An agent that reads files', () => {
  let server: McpTestServer;
  let agent: McpClient;
  let agentId: string;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent, id: agentId } = await server.agent('editor', 'team', 'Ada'));
  });
  after(() => server.close());

  it('read the text of a PDF, whose pages are sections, and edit none', async () => {
    const rest = server.as(await server.host.key(agentId));
    const send = (location: string, body: Buffer) =>
      rest.send('POST', `/v1/documents?location=${location}`, { body, headers: { 'Idempotency-Key': location } });
    await send('team/plan.pdf', makePdf([['Travel by train'], ['Hotels']]));
    await send('team/scan.pdf', makePdfOf([makeStream('0 0 m 10 10 l S')]));
    const { done } = await agent.call('read_org_doc', { location: 'team/plan.pdf' });
    assert.equal(done.text, '# Page 1\n\nTravel by train\n\n# Page 2\n\nHotels\n');
    assert.deepEqual([done.extracted, done.is_cut, done.media_type], [true, undefined, 'application/pdf']);
    await server.host.workspace.texts.files.settled();
    const [hit] = (await agent.call('search_org_knowledge', { query: 'hotels' })).done.hits;
    assert.deepEqual([hit.location, hit.section, hit.extracted], ['team/plan.pdf', 'page-2', true]);
    const page = await agent.call('read_org_doc', { location: 'team/plan.pdf', section: 'page-2' });
    assert.deepEqual([page.done.text, page.done.section], ['# Page 2\n\nHotels\n', 'page-2']);
    const outline = await agent.call('read_org_doc', { location: 'team/plan.pdf', outline_only: true });
    assert.match(JSON.stringify(outline.done.outline), /page-1.*page-2/);
    const past = await agent.call('read_org_doc', { location: 'team/plan.pdf', commit: done.commit });
    assert.deepEqual([past.done.text, past.done.extracted], [done.text, true]);
    await rest.send('PUT', '/v1/files/team/plan.pdf', {
      body: makePdf([['Travel by bus'], ['Hotels']]),
      headers: { 'If-Match': '*' },
    });
    const changes = await agent.call('read_org_doc', { location: 'team/plan.pdf', since_commit: done.commit });
    assert.match(changes.done.diff, /-Travel by train\n\+Travel by bus\n/);
    assert.equal(changes.done.extracted, true);
    const edit = {
      location: 'team/plan.pdf',
      expected_commit: changes.done.commit,
      edits: [{ old_text: 'train', new_text: 'bus' }],
    };
    assert.equal((await agent.call('edit_org_doc', edit)).refusal, 'INVALID_REQUEST not_text');
    const scan = await agent.call('read_org_doc', { location: 'team/scan.pdf' });
    assert.match(scan.done.no_text, /holds no text.*scan/);
    const resource = (await agent.request('resources/read', { uri: 'cartulary://doc/team/plan.pdf' })).json.result;
    assert.match(Buffer.from(resource.contents[0].blob, 'base64').toString('latin1'), /^%PDF/);
  });
});
