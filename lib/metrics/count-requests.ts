import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EndedRequest, RequestObserver } from '../http/exchange.js';

/** The bounds that OpenTelemetry's conventions advise, in seconds. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const mcpBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** What stands in place of a client's own word. */
const other = '_OTHER';

const httpMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE']);

/** Messages of MCP that are answered at once. The length of a subscription says nothing about the service. */
const mcpMethods = new Set([
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'notifications/initialized',
  'notifications/cancelled',
]);
const mcpSubscription = 'subscriptions/listen';

/**
 * Counts the requests of all faces. Each label has a value of ours or none: a route of a table, a status, a known
 * method, a tool that exists, a reason of the table of reasons.
 */
export function countRequests(registry: Registry): RequestObserver {
  const registers = [registry];
  const active = new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests under way, with those that wait for changes',
    registers,
  });
  const durations = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request until its answer has left, by face, route, method and status',
    labelNames: ['face', 'http_route', 'http_request_method', 'http_response_status_code', 'error_type'],
    buckets: httpBuckets,
    registers,
  });
  const operations = new Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'Time of an MCP message from its receipt until its answer has left, without subscriptions',
    labelNames: ['mcp_method_name', 'gen_ai_tool_name', 'error_type'],
    buckets: mcpBuckets,
    registers,
  });
  const refusals = new Counter({
    name: 'cartulary_requests_refused_total',
    help: 'Refused requests and calls of tools, by face, code and reason',
    labelNames: ['face', 'code', 'reason'],
    registers,
  });
  active.set(0);

  function observeMessage({ rpc, tool, refusal, status, milliseconds }: EndedRequest): void {
    if (rpc === undefined || rpc === mcpSubscription) return;
    const error = errorOf(status, 400) ?? (refusal === undefined ? undefined : 'tool_error');
    const labels = {
      mcp_method_name: mcpMethods.has(rpc) ? rpc : other,
      ...(tool === undefined ? {} : { gen_ai_tool_name: tool }),
      ...(error === undefined ? {} : { error_type: error }),
    };
    operations.observe(labels, milliseconds / 1000);
  }

  return {
    began: () => active.inc(),
    ended(request) {
      const { face, method, route, status, refusal, milliseconds } = request;
      active.dec();
      const error = errorOf(status, 500);
      const labels = {
        face,
        http_request_method: httpMethods.has(method) ? method : other,
        ...(route === null ? {} : { http_route: route }),
        ...(status === null ? {} : { http_response_status_code: status }),
        ...(error === undefined ? {} : { error_type: error }),
      };
      durations.observe(labels, milliseconds / 1000);
      if (face === 'mcp') observeMessage(request);
      if (refusal === undefined) return;
      const code = refusal.code.toLowerCase();
      // Both are words of ours: the compiler knows every reason.
      refusals.inc({ face, code, reason: refusal.details?.reason ?? code });
    },
  };
}

/** Why an answer is no good one: its status from `least` on, or that it did not leave whole. */
function errorOf(status: number | null, least: number): string | undefined {
  if (status === null) return 'aborted';
  return status >= least ? String(status) : undefined;
}
