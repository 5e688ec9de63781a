import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { exportChain } from '../../lib/audit/export.js';
import { readExport } from '../../lib/audit/read-export.js';
import { verifySource } from '../../lib/audit/verify-source.js';
import { verifyChain } from '../../lib/audit/verify-chain.js';
import type { AuditEvent } from '../../lib/domain/audit-record.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { IllFormedText } from '../../lib/sidecar/database.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { anyText } from '../support/texts/any-text.js';
import { gather } from '../support/gather.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { openMcpServer, type McpClient, type McpTestServer } from '../support/http/open-mcp.js';
import { openOAuthServer } from '../support/oauth/server.js';

const half = '\ud800';
const edited = { location: 'a.md', expected_commit: '0'.repeat(40) };

describe('ill-formed Unicode, at the faces', () => {
  let server: McpTestServer;
  let lowly: McpClient;

  before(async () => {
    server = await openMcpServer();
    const id = await server.host.principal('Lowly', 'agent');
    lowly = server.client(await server.host.key(id, ['mcp']));
  });
  afterEach(async () => assert.equal(await problemOf(server.host), ''));
  after(() => server.close());

  for (const [tool, args, field] of [
    ['search_org_knowledge', { query: half }, 'query'],
    ['message', { action: 'read', thread_id: half }, 'thread_id'],
    ['claim', { action: 'take', location: 'a.md', purpose: `x${half}` }, 'purpose'],
    ['edit_org_doc', { ...edited, edits: [{ old_text: 'x', new_text: half }] }, 'edits.0.new_text'],
    ['edit_org_doc', { ...edited, edits: '[{"old_text":"\\ud800","new_text":""}]' }, 'edits.0.old_text'],
  ] as const) {
    it(`is refused in an argument of ${tool} by an agent without any grant: ${field}`, async () => {
      const said = await lowly.call(tool, args);
      assert.deepEqual([said.refusal, said.error.field], ['INVALID_REQUEST bad_field', field]);
    });
  }

  it('is no name of an argument, and is not shown again', async () => {
    const said = await lowly.call('read_org_doc', { location: 'a.md', [`x${half}`]: 1 });
    assert.deepEqual([said.refusal, said.error.field], ['INVALID_REQUEST unknown_field', 'x']);
  });

  for (const [message, field] of [
    [{ method: `tools/${half}`, params: {} }, 'method'],
    [{ method: 'tools/call', params: { name: half, arguments: {} } }, 'params.name'],
    [{ method: 'resources/read', params: { uri: `cartulary://doc/${half}` } }, 'params.uri'],
    [{ method: 'resources/list', params: { cursor: half } }, 'params.cursor'],
    [{ method: 'prompts/get', params: { name: half } }, 'params.name'],
    [{ method: 'tools/list', params: { [half]: 1 } }, 'params'],
    [{ id: half, method: 'tools/list' }, 'id'],
    [half, 'message'],
  ] as const) {
    it(`is refused in a message over MCP, and the field is named: ${field}`, async () => {
      const sent = typeof message === 'string' ? message : { jsonrpc: '2.0', id: 1, ...message };
      const { status, json } = await lowly.post(JSON.stringify(sent));
      assert.deepEqual([status, json.error.code, json.id], [400, -32600, null]);
      assert.match(json.error.message, new RegExp(`The field ${field} holds half of a surrogate pair`));
    });
  }

  it('is refused in a body over REST, before any other check', async () => {
    const nobody = server.as(await server.host.key(await server.host.principal('Nobody')));
    for (const [target, body, field] of [
      ['/v1/documents', { location: 'a.md', content: half }, 'content'],
      ['/v1/documents', { location: 'a.md', content: '', labels: ['fine', half] }, 'labels.1'],
      ['/v1/comments', { location: 'a.md', text: 'x', passage: { quote: half } }, 'passage.quote'],
      ['/v1/folders', { [half]: 1 }, 'body'],
    ] as const) {
      const { refusal, json } = await nobody.post(target, body);
      assert.deepEqual([refusal, json.error.details.field], ['INVALID_REQUEST bad_field', field]);
    }
  });

  it('is refused in a field of a command', async () => {
    const options = {
      host: server.host.service,
      server: null,
      address: '',
      onProgress: async () => undefined,
      signal: new AbortController().signal,
      onFault: (what: string, cause: unknown) => assert.fail(`${what}: ${String(cause)}`),
    };
    for (const [request, field] of [
      [{ command: 'principal.add', fields: { name: half } }, 'name'],
      [{ command: 'message.list', fields: { thread: half } }, 'thread'],
      [{ command: 'principal.list', workspace: half, fields: {} }, 'workspace'],
    ] as const) {
      const answer = await runCommand(request, options);
      assert.ok('error' in answer);
      assert.deepEqual([answer.error.details?.['reason'], answer.error.details?.['field']], ['bad_field', field]);
    }
  });

  it('is refused when an application registers itself, in the form of RFC 7591', async () => {
    const oauth = await openOAuthServer();
    try {
      const response = await fetch(`${oauth.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://a.example/cb'], client_name: half }),
      });
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), {
        error: 'invalid_client_metadata',
        error_description: 'client_name holds text that is no Unicode.',
      });
    } finally {
      await oauth.close();
    }
  });
});

describe('ill-formed Unicode, in the log itself', () => {
  let test: TestService;
  let work: string;

  before(async () => {
    test = await openTestService();
    work = await mkdtemp(join(tmpdir(), 'cartulary-text-'));
  });
  after(async () => {
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  const text = anyText();
  const optional = fc.option(text);
  const event: fc.Arbitrary<AuditEvent> = fc.record({
    principal: optional,
    credential: optional,
    interface: fc.constant('mcp' as const),
    action: text,
    outcome: fc.constant('done' as const),
    target: fc.option(text, { nil: undefined }),
    version: fc.option(text, { nil: undefined }),
    requestId: optional,
    detail: fc.option(fc.dictionary(text, text), { nil: undefined }),
    documentId: fc.option(text, { nil: undefined }),
  });

  it('never makes the hashed text differ from the stored and exported one, whatever a face accepts', async () => {
    const { journal } = test.workspace;
    await fc.assert(
      fc.asyncProperty(event, async (given) => {
        await journal.write({ isRecordOnly: true, run: (transaction) => transaction.audit(given) });
        const row = journal.reader.audit.find(journal.state.chain.seq);
        assert.equal(row?.principal, given.principal?.toWellFormed() ?? null);
        const text = journal.reader.audit.textOf(journal.state.chain.seq);
        assert.equal(text?.target ?? null, given.target?.toWellFormed() ?? null);
      }),
      { seed: 1, numRuns: 200 },
    );
    assert.equal(await problemOf(test), '');
    const source = { workspace: 'acme', tables: journal.reader, archives: null };
    const lines = await gather(exportChain(source, true));
    const file = join(work, 'export.jsonl');
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const verdict = verifyChain(readExport(file));
    assert.ok(verdict.sound && verdict.records === journal.state.chain.seq && verdict.altered === undefined);
  });

  it('is refused by the sidecar, which could not return it unchanged', async () => {
    const { journal } = test.workspace;
    const write = (text: string) => journal.write({ run: ({ tables }) => tables.meta.set('note', text) });
    await write('whole \u{1f600}');
    await assert.rejects(write(half), (error: unknown) => {
      assert.ok(error instanceof Refusal && error.code === 'INTERNAL');
      return error.cause instanceof IllFormedText;
    });
    assert.equal(journal.reader.meta.get('note'), 'whole \u{1f600}');
  });
});

async function problemOf({ workspace }: TestService): Promise<string> {
  const source = { workspace: workspace.name, tables: workspace.journal.reader, archives: null };
  const verdict = await verifySource(source);
  return verdict.sound ? '' : verdict.problem;
}
