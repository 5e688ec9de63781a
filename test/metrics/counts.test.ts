import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { perform } from '../../lib/operations/perform.js';
import { maxNamed } from '../../lib/metrics/measure-service.js';
import { Metrics } from '../../lib/metrics/metrics.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { HeldExtractor } from '../support/store/held-extractor.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';
import { sendTo } from '../support/http/running.js';
import { needPromtool, promtool, readSamples, valueOf } from '../support/promtool.js';
import { openTestService, operator } from '../support/store/service.js';
import { until } from '../support/until.js';

const requests = 'http_server_request_duration_seconds_count';
const messages = 'mcp_server_operation_duration_seconds_count';
const refusals = 'cartulary_requests_refused_total';

describe('the metrics', () => {
  let server: McpTestServer;
  let metrics: Metrics;
  beforeEach(async () => {
    metrics = makeMetrics();
    server = await openMcpServer({ observers: metrics.work, server: { observer: metrics.requests } });
  });
  afterEach(() => server.close());

  it('count requests by face, route, method and status, never by address', async () => {
    const editor = await server.person('editor');
    await editor.create('notes/a.md');
    for (const location of ['a.md', 'a.md', 'b.md']) await editor.get(`/v1/documents/notes/${location}`);
    await server.as().get('/v1/health');
    const text = await settled();
    const route = '/v1/documents/{location}';
    const read = { face: 'rest', http_route: route, http_request_method: 'GET' };
    assert.equal(valueOf(text, requests, { ...read, http_response_status_code: '200' }), 2);
    assert.equal(valueOf(text, requests, { ...read, http_response_status_code: '404' }), 1);
    assert.equal(valueOf(text, requests, { http_route: '/v1/documents', http_response_status_code: '201' }), 1);
    assert.equal(valueOf(text, requests, { http_route: '/v1/health' }), 1);
  });

  it('count the texts of files by outcome, their bytes, and the processes that ended over them', async () => {
    const extractor = new HeldExtractor(metrics.work.texts);
    const texts = await openTestService({ extractor });
    const text = async (): Promise<string> => metrics.read(texts.service);
    try {
      extractor.hold();
      const files = { 'a.docx': makeDocx(wordText('wombat')), 'b.docx': Buffer.from([0, 1, 2]) };
      for (const [name, bytes] of Object.entries(files)) {
        const input = { location: parseLocation(name), content: { bytes }, labels: [], message: null };
        await perform(texts.workspace, operator, createDocument, input);
      }
      await texts.workspace.search.settled();
      assert.equal(valueOf(await text(), 'cartulary_texts_waiting', { workspace: 'acme' }), 2);
      extractor.release();
      await texts.workspace.texts.files.settled();
    } finally {
      await texts.close();
    }
    const after = await settled();
    const ended = (outcome: string) => valueOf(after, 'cartulary_text_duration_seconds_count', { outcome });
    assert.deepEqual([ended('done'), ended('damaged')], [1, 1]);
    assert.equal(valueOf(after, 'cartulary_text_file_bytes_total', {}), makeDocx(wordText('wombat')).length + 3);
  });

  it('count refusals by face, code and reason', async () => {
    const editor = await server.person('editor');
    await editor.create('a.md');
    await editor.create('a.md');
    await server.as('no-key').get('/v1/documents/a.md');
    await server.as().get('/v1/none');
    const { client } = await server.agent('reader');
    await client.call('read_org_doc', { location: 'none.md' });
    const text = await settled();
    const count = (face: string, code: string, reason = code) => valueOf(text, refusals, { face, code, reason });
    assert.equal(count('rest', 'conflict', 'name_taken'), 1);
    assert.equal(count('rest', 'unauthenticated'), 2);
    assert.equal(count('mcp', 'not_found'), 1);
  });

  it('have the time of each tool of MCP, and which calls were refused', async () => {
    const { client } = await server.agent('reader');
    await client.call('list_org_docs');
    await client.call('read_org_doc', { location: 'none.md' });
    await client.request('tools/list');
    const text = await settled();
    const called = (tool: string) =>
      readSamples(text).find(({ name, labels }) => name === messages && labels['gen_ai_tool_name'] === tool);
    assert.deepEqual(called('list_org_docs')?.labels, {
      mcp_method_name: 'tools/call',
      gen_ai_tool_name: 'list_org_docs',
    });
    assert.equal(called('read_org_doc')?.labels['error_type'], 'tool_error');
    assert.equal(valueOf(text, messages, { mcp_method_name: 'tools/list' }), 1);
  });

  it('count commits, writes and stored bytes, and the records of the audit log', async () => {
    const editor = await server.person('editor');
    const before = await settled();
    await editor.create('a.md', '12345');
    const after = await settled();
    const grown = (name: string): number => (valueOf(after, name) ?? 0) - (valueOf(before, name) ?? 0);
    assert.equal(grown('cartulary_storage_used_bytes'), 5);
    assert.equal(grown('cartulary_audit_head_sequence'), 1);
    assert.ok(grown('cartulary_journal_writes_total') >= 1);
    assert.ok(grown('cartulary_journal_commit_duration_seconds_count') >= 1);
    assert.ok((valueOf(after, 'cartulary_repository_pending_objects') ?? 0) > 0);
    await server.host.workspace.checkpointer.run();
    assert.equal(valueOf(await settled(), 'cartulary_repository_pending_objects'), 0);
  });

  it('have no name that a client chose, and no more lines for many of them', async () => {
    const editor = await server.person('editor', '', 'zz-name-of-a-person');
    const { client } = await server.agent('editor', '', 'zz-name-of-an-agent');
    const tryAll = async (index: number): Promise<void> => {
      const mark = `zz-mark-${index}`;
      await editor.create(`${mark}/a.md`, mark);
      await editor.get(`/v1/documents/${mark}.md?x=${mark}`);
      await editor.get(`/v1/search?q=${mark}`);
      await editor.get(`/${mark}`);
      await sendTo(server.rest.port, `/v1/${mark}`, { method: 'PURGE', headers: { traceparent: mark, [mark]: mark } });
      await client.request(`zz/${mark}`);
      await client.request('tools/call', { name: mark, arguments: {} });
      await client.call('search_org_knowledge', { query: mark });
      await server.client(`${mark}-key`).request('ping');
    };
    await tryAll(0);
    const few = await settled();
    for (let index = 1; index < 6; index += 1) await tryAll(index);
    const many = await settled();
    assert.ok(
      !many.includes('zz'),
      many.split('\n').find((line) => line.includes('zz')),
    );
    const series = (text: string) =>
      readSamples(text)
        .map((sample) => sample.series)
        .filter((name) => !name.startsWith('nodejs_'))
        .toSorted();
    assert.deepEqual(series(many), series(few));
    assert.ok(!/(?:prn|key|con|req)_[0-9a-z]{8}/.test(many), 'no id of anything');
  });

  it('have the state of every limiter, and what it refused', async () => {
    const { computations } = server.host.service.workLimits;
    const releases = Array.from({ length: 4 }, () => computations.takeNow('acme/one'));
    assert.throws(() => computations.takeNow('acme/one'));
    const text = await settled();
    const kind = 'computations';
    assert.equal(valueOf(text, 'cartulary_work_in_progress', { kind }), 4);
    assert.equal(valueOf(text, 'cartulary_work_limit', { kind }), 32);
    assert.equal(valueOf(text, 'cartulary_work_refused_total', { kind, limit: 'source' }), 1);
    assert.equal(valueOf(text, 'cartulary_work_refused_total', { kind, limit: 'all' }), 0);
    for (const release of releases) release();
    assert.equal(valueOf(await settled(), 'cartulary_work_in_progress', { kind }), 0);
  });

  it('are well-formed for promtool, with every metric in use', async function () {
    needPromtool(this);
    const editor = await server.person('editor');
    await editor.create('a.md');
    await editor.create('a.md');
    await (await server.agent('reader')).client.call('list_org_docs');
    metrics.work.onRun('folder', 'changed');
    metrics.work.onSent({ outcome: 'delivered', status: 200, answer: null, duration: 1, retryAfter: undefined });
    assert.deepEqual(promtool(['check', 'metrics'], await settled()), { code: 0, said: '' });
  });

  /** The text once no request is under way: the end of one is counted after its answer has left. */
  const settled = (): Promise<string> =>
    until('every request is counted', async () => {
      const text = await metrics.read(server.host.service);
      return valueOf(text, 'http_server_active_requests') === 0 ? text : undefined;
    });
});

describe('the metrics of many workspaces', () => {
  it('name the first hundred, and take the others together', async () => {
    const host = await openTestService();
    try {
      for (let index = 0; index <= maxNamed; index += 1) {
        await host.service.addWorkspace(`team-${String(index).padStart(3, '0')}`);
      }
      const text = await makeMetrics().read(host.service);
      const named = readSamples(text).filter(({ name }) => name === 'cartulary_storage_quota_bytes');
      const [one] = named;
      assert.equal(named.length, maxNamed + 1);
      const others = named.find(({ labels }) => labels['workspace'] === '_others');
      assert.equal(others?.value, 2 * (one?.value ?? 0), 'the quotas of two workspaces');
      assert.equal(valueOf(text, 'cartulary_search_ready', { workspace: '_others' }), 1);
      assert.equal(valueOf(text, 'cartulary_workspaces', { state: 'open' }), maxNamed + 2);
    } finally {
      await host.close();
    }
  });
});

/** Metrics whose texts are never old. */
function makeMetrics(): Metrics {
  let now = 0;
  return new Metrics({ version: '1.2.3', commit: null }, { elapsed: () => (now += 1000) });
}
