import assert from 'node:assert/strict';
import { openRunning, type RunningTest } from '../support/http/running.js';
import type { Parsed } from '../support/http/server.js';
import { until } from '../support/until.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${spanId}-01`;
const inMessage = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };

describe('the trace of a caller', () => {
  let test: RunningTest;
  let key: string;
  before(async () => {
    test = await openRunning();
    key = await test.initialize();
  });
  after(() => test.close());

  for (const [face, path] of [
    ['REST', '/v1/health'],
    ['the console', '/console/api/session'],
    ['the pages of the console', '/console'],
    ['the sign-in', '/signin'],
    ['OAuth', '/.well-known/oauth-authorization-server'],
    ['MCP', '/mcp'],
    ['git', '/git/acme/info/refs?service=git-upload-pack'],
  ] as const) {
    it(`stands in the line of its request to ${face}`, async () => {
      const { headers } = await test.send(path, { headers: { traceparent } });
      const line = await lineOf(headers['x-request-id']);
      assert.deepEqual([line.trace_id, line.span_id], [traceId, spanId]);
    });
  }

  it('is not in the line of a request that names none, or names one in another form', async () => {
    for (const headers of [{}, { traceparent: 'ff-1-2-3' }, { traceparent: `${traceparent}, ${traceparent}` }]) {
      const line = await lineOf((await test.send('/v1/health', { headers })).headers['x-request-id']);
      assert.ok(!('trace_id' in line) && !('span_id' in line), JSON.stringify(line));
      assert.equal(line.status, 200);
    }
  });

  it('is that of the message in MCP, before that of the header', async () => {
    const meta = { traceparent: `00-${inMessage.traceId}-${inMessage.spanId}-00`, tracestate: 'a=b', baggage: 'c=d' };
    const { headers, status } = await call(meta, { traceparent });
    const line = await lineOf(headers['x-request-id']);
    assert.deepEqual([line.trace_id, line.span_id, status], [inMessage.traceId, inMessage.spanId, 200]);
  });

  it('is that of the header in MCP where the message names none that can be read', async () => {
    for (const meta of [{}, { traceparent: 'x' }, { traceparent: 7 }]) {
      const { headers } = await call(meta, { traceparent });
      assert.equal((await lineOf(headers['x-request-id'])).trace_id, traceId, JSON.stringify(meta));
    }
  });

  it('changes nothing in the answer of a tool', async () => {
    const [plain, traced] = [await call({}), await call({ traceparent, tracestate: 'a=b' })];
    assert.equal(traced.text, plain.text);
  });

  /** The line of the request with this id. */
  const lineOf = (id: unknown): Promise<Parsed> =>
    until('the request has its line in the log', () => test.lines.find((line) => line.id === id));

  /** One MCP message of 2025, in the form that most clients send. */
  const call = (meta: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, string>> = {}) =>
    test.send('/mcp', {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'org_list', arguments: {}, _meta: meta },
      }),
    });
});
