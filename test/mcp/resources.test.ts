import assert from 'node:assert/strict';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import type { Parsed } from '../support/http/server.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import { operator } from '../support/store/service.js';

describe('Documents as MCP resources', () => {
  let server: McpTestServer;
  let agent: McpClient;
  before(async () => {
    server = await openMcpServer();
    ({ client: agent } = await server.agent('editor', 'team', 'Ada'));
  });
  after(() => server.close());

  it('lists documents by pages, and reads them by their address', async () => {
    await write('team/with blank & ü.md', 'text\n');
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = (await agent.request('resources/list', cursor === undefined ? {} : { cursor })).json;
      assert.equal(result.cacheScope, 'private');
      uris.push(...result.resources.map(({ uri }: { uri: string }) => uri));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    const uri = 'cartulary://doc/team/with%20blank%20%26%20%C3%BC.md';
    assert.ok(uris.includes(uri));
    const { contents } = (await agent.request('resources/read', { uri })).json.result;
    assert.deepEqual([contents[0].text, contents[0].uri, contents[0]['_meta'].role], ['text\n', uri, 'editor']);
    const { resourceTemplates } = (await agent.request('resources/templates/list')).json.result;
    assert.equal(resourceTemplates[0].uriTemplate, 'cartulary://doc/{+location}');
  });

  it('come in parts where a text is long, each with the address of the next', async () => {
    const content = `${'x'.repeat(130_000)}\n${'lines 😀 ü\n'.repeat(9000)}`;
    const commit = await write('team/long, 100%!.txt', content);
    let uri: string | undefined = 'cartulary://doc/team/long%2C%20100%25!.txt';
    let text = '';
    for (let parts = 0; uri !== undefined; parts += 1) {
      assert.ok(parts < 10);
      const { contents }: Parsed = (await agent.request('resources/read', { uri })).json.result;
      assert.ok(contents[0].text.length <= 60_000);
      text += contents[0].text;
      assert.deepEqual([contents[0].uri, contents.length <= 2], [uri, true]);
      uri = contents[1]?.uri;
      if (uri !== undefined) assert.match(contents[1].text, /goes on at line \d+ of 9001/);
    }
    assert.equal(text, content);
    const rest = (place: string) =>
      agent.request('resources/read', { uri: `cartulary://doc/team/long%2C%20100%25!.txt?${place}` });
    const codeOf = async (place: string): Promise<number> => (await rest(place)).json.error.code;
    assert.equal(await codeOf(`commit=${commit}&start_line=99999&start_column=1`), -32602);
    assert.equal(await codeOf(`commit=${'0'.repeat(40)}&start_line=2&start_column=1`), -32602);
    assert.equal(await codeOf('start_line=2'), await codeOf(`commit=${commit}&start_line=0&start_column=1`));
  });

  it('lists 1,000 documents at most', async () => {
    const { client } = await server.agent('reader', 'many');
    const files = Array.from({ length: 1050 }, (_, index) => ({
      location: parseLocation(`many/${index}.md`),
      content: { bytes: Buffer.from('one of many\n') },
    }));
    await perform(server.host.workspace, operator, importDocuments, { into: rootLocation, files, message: null });
    let count = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { result }: Parsed = (await client.request('resources/list', cursor === '' ? {} : { cursor })).json;
      count += result.resources.length;
      cursor = result.nextCursor;
    }
    assert.equal(count, 1000);
  });

  it('finds nothing where there is nothing, or could be nothing', async () => {
    const answers = [];
    for (const uri of [
      'cartulary://doc/team/none.md',
      'cartulary://doc/..',
      'cartulary://doc/%ff',
      'file:///etc/passwd',
      'x',
    ]) {
      const { json } = await agent.request('resources/read', { uri });
      answers.push(JSON.stringify(json.error).replaceAll(uri, 'URI'));
    }
    assert.equal(new Set(answers).size, 1, answers.join('\n'));
    const { json } = await agent.request('resources/list', { cursor: 'nonsense' });
    assert.equal(json.error.code, -32602);
  });

  async function write(location: string, content: string): Promise<string> {
    const said = await agent.call('write_org_doc', { location, content });
    assert.equal(said.refusal, '');
    return said.done.commit;
  }
});
