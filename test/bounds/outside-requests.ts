import { json, type LargeRequest } from './large-request.js';

const settings = { url: `https://git.example/${'a'.repeat(16 * 1024)}.git` };
const absent = '/v1/connectors/prn_absent';

/** Requests about connectors. Those of one find none, after all was read and checked. */
const connectorRequests: readonly LargeRequest[] = [
  { route: 'GET /v1/connector-kinds', as: 'approver', target: '/v1/connector-kinds', status: 200 },
  {
    route: 'POST /v1/connector-tests',
    as: 'approver',
    target: '/v1/connector-tests',
    body: json({ location: 'mirror', kind: 'git', settings }),
    status: 400,
  },
  { route: 'GET /v1/connectors', as: 'approver', target: '/v1/connectors?limit=200', status: 200 },
  {
    route: 'POST /v1/connectors',
    as: 'approver',
    target: '/v1/connectors',
    body: json({ name: 'Mirror', location: 'mirror', kind: 'git', settings }),
    status: 400,
  },
  { route: 'GET /v1/connectors/{id}', as: 'approver', target: absent, status: 404 },
  {
    route: 'PATCH /v1/connectors/{id}',
    as: 'approver',
    target: absent,
    body: json({ settings, secret: 's'.repeat(16 * 1024) }),
    status: 404,
  },
  { route: 'DELETE /v1/connectors/{id}', as: 'approver', target: `${absent}?documents=keep`, status: 404 },
  { route: 'POST /v1/connectors/{id}/tests', as: 'approver', target: `${absent}/tests`, status: 404 },
  { route: 'GET /v1/connectors/{id}/runs', as: 'approver', target: `${absent}/runs?limit=200`, status: 404 },
  { route: 'POST /v1/connectors/{id}/runs', as: 'approver', target: `${absent}/runs`, status: 404 },
  { route: 'GET /v1/connectors/{id}/skipped', as: 'approver', target: `${absent}/skipped?limit=200`, status: 404 },
  { route: 'PUT /v1/connectors/{id}/pause', as: 'approver', target: `${absent}/pause`, status: 404 },
  { route: 'DELETE /v1/connectors/{id}/pause', as: 'approver', target: `${absent}/pause`, status: 404 },
  {
    route: 'POST /v1/connectors/{id}/approvals',
    as: 'approver',
    target: `${absent}/approvals`,
    body: json({ change: 'a'.repeat(64) }),
    status: 404,
  },
  {
    route: 'PUT /v1/connectors/{id}/secret',
    as: 'approver',
    target: `${absent}/secret`,
    body: json({ secret: 's'.repeat(16 * 1024) }),
    status: 404,
  },
  { route: 'PUT /v1/connectors/{id}/webhook', as: 'approver', target: `${absent}/webhook`, status: 404 },
  { route: 'DELETE /v1/connectors/{id}/webhook', as: 'approver', target: `${absent}/webhook`, status: 404 },
];

const absentHook = '/v1/webhooks/whk_absent';
const kinds = ['created', 'updated', 'moved', 'renamed', 'deleted'];
const longUrl = `https://hooks.example/${'a'.repeat(1900)}`;

/** Requests about the keys of the one who asks. Those of one find none, after all was read and checked. */
const keyRequests: readonly LargeRequest[] = [
  { route: 'GET /v1/keys', as: 'approver', target: '/v1/keys?limit=200', status: 200 },
  {
    route: 'POST /v1/keys',
    as: 'approver',
    target: '/v1/keys',
    body: json({ name: 'n'.repeat(800), interfaces: ['rest', 'mcp', 'git'], expires_at: null }),
    status: 400,
  },
  { route: 'DELETE /v1/keys/{id}', as: 'approver', target: `/v1/keys/${'k'.repeat(64)}`, status: 404 },
  {
    route: 'POST /v1/keys/{id}/rotations',
    as: 'approver',
    target: `/v1/keys/${'k'.repeat(64)}/rotations`,
    status: 404,
  },
];

/** Requests about webhooks. Those of one find none, after all was read and checked. */
const webhookRequests: readonly LargeRequest[] = [
  { route: 'GET /v1/webhooks', as: 'approver', target: '/v1/webhooks?limit=200', status: 200 },
  {
    route: 'POST /v1/webhooks',
    as: 'approver',
    target: '/v1/webhooks',
    body: json({ name: 'n'.repeat(200), url: longUrl, location: 'large', kinds }),
    status: 201,
  },
  { route: 'GET /v1/webhooks/{id}', as: 'approver', target: absentHook, status: 404 },
  {
    route: 'PATCH /v1/webhooks/{id}',
    as: 'approver',
    target: absentHook,
    body: json({ url: longUrl, kinds, enabled: true }),
    status: 404,
  },
  { route: 'DELETE /v1/webhooks/{id}', as: 'approver', target: absentHook, status: 404 },
  { route: 'POST /v1/webhooks/{id}/rotations', as: 'approver', target: `${absentHook}/rotations`, status: 404 },
  { route: 'POST /v1/webhooks/{id}/tests', as: 'approver', target: `${absentHook}/tests`, status: 404 },
  {
    route: 'GET /v1/webhooks/{id}/deliveries',
    as: 'approver',
    target: `${absentHook}/deliveries?limit=200`,
    status: 404,
  },
  {
    route: 'POST /v1/webhooks/{id}/replays',
    as: 'approver',
    target: `${absentHook}/replays`,
    body: json({ delivery: 1 }),
    status: 404,
  },
];

/** Requests about what is outside: sources and receivers. */
export const outsideRequests: readonly LargeRequest[] = [...connectorRequests, ...keyRequests, ...webhookRequests];
