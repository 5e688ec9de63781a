import { json, type LargeRequest } from './large-request.js';
import { mebibyte } from './world.js';
import { outsideRequests } from './outside-requests.js';

const escaped = (count: number): string => '\\u0061'.repeat(count);
/** The longest possible location. */
const longest = Array.from({ length: 5 }, () => 'x'.repeat(200)).join('/');
const maxQueryLength = encodeURIComponent(`${'wo '.repeat(20)}"${'of the '.repeat(60)}"`);
const page = Array.from({ length: 3 }, () => 'x'.repeat(200)).join('/');
const labels = Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(100, 'l'));
const raw = { 'content-type': 'application/octet-stream' };
const since = '1970-01-01T00:00:00Z';

/** Questions to the audit log, and the log itself. */
const auditRequests: readonly LargeRequest[] = [
  { route: 'GET /v1/audit', as: 'approver', target: '/v1/audit?limit=200', status: 200 },
  {
    route: 'GET /v1/audit',
    kind: 'place',
    as: 'approver',
    target: `/v1/audit?limit=200&location=many&action=${'a'.repeat(64)}&request_id=${'r'.repeat(64)}`,
    status: 200,
  },
  { route: 'GET /v1/audit', kind: 'own', as: 'reader', target: '/v1/audit?limit=200', status: 200 },
  { route: 'POST /v1/audit/verifications', as: 'approver', target: '/v1/audit/verifications', status: 202 },
  {
    route: 'GET /v1/audit/verifications/{id}',
    as: 'approver',
    target: `/v1/audit/verifications/${'c'.repeat(64)}`,
    status: 404,
  },
  { route: 'GET /v1/audit/export', as: 'approver', target: '/v1/audit/export', status: 200 },
  { route: 'GET /v1/audit/key', as: 'approver', target: '/v1/audit/key', status: 200 },
];

const events = { accept: 'text/event-stream' };

/** Requests about what changed. */
const changeRequests: readonly LargeRequest[] = [
  { route: 'GET /v1/changes', as: 'reader', target: '/v1/changes?limit=200', status: 200 },
  {
    route: 'GET /v1/changes',
    kind: 'many',
    as: 'reader',
    target: '/v1/changes?limit=200&location=many',
    status: 200,
  },
  {
    route: 'GET /v1/changes',
    kind: 'rare',
    as: 'reader',
    target: '/v1/changes?limit=200&kind=restored,mirrored&location=many',
    status: 200,
  },
  { route: 'GET /v1/changes', kind: 'nothing in reach', as: 'nobody', target: '/v1/changes?limit=200', status: 200 },
  { route: 'GET /v1/changes', kind: 'stream', as: 'reader', target: '/v1/changes', headers: events, status: 200 },
];

/** At least one request for each route of the table. */
export function makeLargeRequests(writerId: string): readonly LargeRequest[] {
  const revert = `location=many&principal_id=${writerId}&since=${since}`;
  return [
    ...changeRequests,
    { route: 'GET /v1/documents', as: 'reader', target: `/v1/documents?limit=200&location=page/${page}`, status: 200 },
    {
      route: 'GET /v1/documents',
      kind: 'many',
      as: 'reader',
      target: '/v1/documents?limit=200&location=many/0',
      status: 200,
    },
    {
      route: 'POST /v1/documents',
      as: 'editor',
      target: '/v1/documents',
      body: json({ location: `new/${longest}`, content: 'w '.repeat(5 * mebibyte), labels, message: 'm'.repeat(1000) }),
      status: 201,
    },
    {
      route: 'POST /v1/documents',
      kind: 'escaped',
      as: 'editor',
      target: '/v1/documents',
      body: `{"location":"new/escaped.md","content":"${escaped(10 * mebibyte)}"}`,
      status: 201,
    },
    {
      route: 'POST /v1/documents',
      kind: 'base64',
      as: 'editor',
      target: '/v1/documents',
      body: json({
        location: 'new/bytes.bin',
        content: Buffer.alloc(10 * mebibyte, 255).toString('base64'),
        encoding: 'base64',
      }),
      status: 201,
    },
    {
      route: 'POST /v1/documents',
      kind: 'hostile',
      as: 'editor',
      target: '/v1/documents',
      body: `{"location":"new/x.md","content":${'[{"a":'.repeat(500_000)}`,
      status: 400,
    },
    {
      route: 'POST /v1/documents',
      kind: 'without rights',
      as: 'nobody',
      target: '/v1/documents',
      body: json({ location: 'x', content: 'w'.repeat(mebibyte) }),
      status: 404,
    },
    { route: 'GET /v1/documents/{location}', as: 'reader', target: '/v1/documents/long/words.md', status: 200 },
    {
      route: 'GET /v1/documents/{location}',
      kind: 'controls',
      as: 'reader',
      target: '/v1/documents/long/controls.txt',
      status: 200,
    },
    {
      route: 'GET /v1/documents/{location}',
      kind: 'a mebibyte',
      as: 'reader',
      target: '/v1/documents/large/controls.txt',
      status: 200,
    },
    {
      route: 'GET /v1/documents/{location}',
      kind: 'raw',
      as: 'reader',
      target: '/v1/documents/long/controls.txt',
      headers: { accept: 'application/octet-stream' },
      status: 200,
    },
    {
      route: 'GET /v1/documents/{location}',
      kind: 'preconditions',
      as: 'nobody',
      target: '/v1/documents/x',
      headers: { 'if-none-match': `"x",${' '.repeat(4000)}` },
      status: 404,
    },
    { route: 'HEAD /v1/documents/{location}', as: 'reader', target: '/v1/documents/long/controls.txt', status: 200 },
    {
      route: 'PUT /v1/documents/{location}',
      as: 'editor',
      target: '/v1/documents/written.txt',
      headers: { 'if-match': '*' },
      body: json({ content: '\u0001'.repeat(10 * mebibyte) }),
      status: 200,
    },
    {
      route: 'PUT /v1/documents/{location}',
      kind: 'headings',
      as: 'editor',
      target: '/v1/documents/written.md',
      headers: { 'if-match': '*' },
      body: json({ content: '# a\n'.repeat(mebibyte / 4) }),
      status: 200,
    },
    {
      route: 'PUT /v1/documents/{location}',
      kind: 'raw',
      as: 'editor',
      target: '/v1/documents/written.txt',
      headers: { 'if-match': '*', ...raw },
      body: 'b'.repeat(20 * mebibyte),
      status: 200,
    },
    {
      route: 'DELETE /v1/documents/{location}',
      as: 'editor',
      target: '/v1/documents/none.md',
      headers: { 'if-match': '*' },
      status: 404,
    },
    { route: 'GET /v1/files/{location}', as: 'reader', target: '/v1/files/long/controls.txt', status: 200 },
    {
      route: 'GET /v1/files/{location}',
      kind: 'compressed',
      as: 'reader',
      target: '/v1/files/long/words.md',
      headers: { 'accept-encoding': 'br' },
      status: 200,
    },
    {
      route: 'GET /v1/documents/{location}',
      kind: 'compressed',
      as: 'reader',
      target: '/v1/documents/long/controls.txt',
      headers: { 'accept-encoding': 'gzip' },
      status: 200,
    },
    {
      route: 'PUT /v1/files/{location}',
      as: 'editor',
      target: '/v1/files/written.txt',
      headers: { 'if-match': '*', 'content-type': 'text/plain' },
      body: 'b'.repeat(20 * mebibyte),
      status: 200,
    },
    { route: 'GET /v1/folders', as: 'reader', target: '/v1/folders?limit=200&location=many', status: 200 },
    { route: 'POST /v1/folders', as: 'editor', target: '/v1/folders', body: json({ location: longest }), status: 201 },
    { route: 'GET /v1/folders/export', as: 'reader', target: '/v1/folders/export?location=', status: 200 },
    {
      route: 'POST /v1/renames',
      as: 'editor',
      target: '/v1/renames',
      body: json({ location: 'page', name: 'p'.repeat(250) }),
      status: 400,
    },
    {
      route: 'POST /v1/moves',
      as: 'editor',
      target: '/v1/moves',
      body: json({ location: 'page', to_folder: longest }),
      status: 400,
    },
    {
      route: 'POST /v1/undeletes',
      as: 'editor',
      target: '/v1/undeletes',
      body: json({ location: longest }),
      status: 404,
    },
    {
      route: 'GET /v1/search',
      as: 'reader',
      target: `/v1/search?limit=200&q=${encodeURIComponent('document many whoever travels books page text')}`,
      status: 200,
    },
    {
      route: 'GET /v1/search',
      kind: 'longest',
      as: 'reader',
      target: `/v1/search?limit=200&q=${maxQueryLength}`,
      status: 200,
    },
    {
      route: 'GET /v1/search',
      kind: 'patterns',
      as: 'reader',
      target: `/v1/search?limit=200&q=${encodeURIComponent('doc* tra* document~2 journey~2')}`,
      status: 200,
    },
    {
      route: 'GET /v1/grants',
      as: 'approver',
      target: '/v1/grants?scope_type=folder&scope_id=shared&inherited=true&limit=200',
      status: 200,
    },
    {
      route: 'POST /v1/grants',
      as: 'approver',
      target: '/v1/grants',
      body: json({
        scope_type: 'folder',
        scope_id: longest,
        subject: { type: 'principal', id: writerId },
        role: 'reader',
      }),
      status: 201,
    },
    {
      route: 'DELETE /v1/grants',
      as: 'approver',
      target: `/v1/grants?scope_type=folder&scope_id=none&subject_type=principal&subject_id=${writerId}&role=reader`,
      status: 404,
    },
    { route: 'GET /v1/history', as: 'reader', target: '/v1/history?location=history.md&limit=200', status: 200 },
    { route: 'GET /v1/diffs', as: 'reader', target: '/v1/diffs?location=quoted.txt', status: 200 },
    { route: 'GET /v1/diffs', kind: 'many lines', as: 'reader', target: '/v1/diffs?location=changed.md', status: 200 },
    {
      route: 'POST /v1/restores',
      as: 'editor',
      target: '/v1/restores',
      body: json({ location: 'history.md', version: '0'.repeat(40) }),
      status: 404,
    },
    {
      route: 'POST /v1/folder-deletions',
      as: 'editor',
      target: '/v1/folder-deletions',
      body: json({ location: 'many' }),
      status: 200,
    },
    {
      route: 'POST /v1/folder-undeletes',
      as: 'editor',
      target: '/v1/folder-undeletes',
      body: json({ location: 'many' }),
      status: 200,
    },
    { route: 'GET /v1/reverts', as: 'editor', target: `/v1/reverts?limit=200&${revert}`, status: 200 },
    {
      route: 'POST /v1/reverts',
      as: 'editor',
      target: '/v1/reverts',
      body: json({ location: 'many', principal_id: writerId, since, preview: '0'.repeat(64) }),
      status: 409,
    },
    { route: 'GET /v1/labels', as: 'reader', target: '/v1/labels?location=long/words.md', status: 200 },
    {
      route: 'POST /v1/labels',
      as: 'editor',
      target: '/v1/labels',
      body: json({ location: 'history.md', labels }),
      status: 200,
    },
    {
      route: 'PUT /v1/labels',
      as: 'editor',
      target: '/v1/labels?location=history.md',
      body: json({ labels }),
      status: 200,
    },
    { route: 'DELETE /v1/labels', as: 'editor', target: '/v1/labels?location=history.md&label=none', status: 200 },
    { route: 'GET /v1/claims', as: 'reader', target: '/v1/claims?limit=200', status: 200 },
    {
      route: 'POST /v1/claims',
      as: 'editor',
      target: '/v1/claims',
      body: json({ location: 'large/lists.md', section: 's'.repeat(1000), purpose: 'p'.repeat(300) }),
      status: 400,
    },
    { route: 'DELETE /v1/claims', as: 'editor', target: '/v1/claims?id=none', status: 404 },
    {
      route: 'POST /v1/claim-breaks',
      as: 'approver',
      target: '/v1/claim-breaks',
      body: json({ location: 'history.md', id: 'none' }),
      status: 404,
    },
    { route: 'GET /v1/comments', as: 'reader', target: '/v1/comments?location=quoted.txt&limit=200', status: 200 },
    {
      route: 'POST /v1/comments',
      as: 'reader',
      target: '/v1/comments',
      body: json({
        location: 'quoted.txt',
        text: 'c'.repeat(8000),
        passage: { quote: `${'a'.repeat(999)}b`, start: mebibyte - 1000 },
      }),
      status: 400,
    },
    {
      route: 'PUT /v1/comments',
      as: 'reader',
      target: '/v1/comments?location=quoted.txt&id=none',
      body: json({ text: 'c'.repeat(8000) }),
      status: 404,
    },
    { route: 'DELETE /v1/comments', as: 'reader', target: '/v1/comments?location=quoted.txt&id=none', status: 404 },
    {
      route: 'PUT /v1/threads',
      as: 'reader',
      target: '/v1/threads?location=quoted.txt&id=none',
      body: json({ resolved: true }),
      status: 404,
    },
    ...outsideRequests,
    ...auditRequests,
  ];
}
