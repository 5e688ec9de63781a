import type { OutgoingHttpHeaders } from 'node:http';
import { fromOurPage } from '../support/http/console.js';

/** A request sent once about a hidden target and once about an absent one. */
export interface Case {
  readonly name: string;
  /** @param is whether its target exists, out of the caller's reach; @param n which of the many alike */
  request(is: 'hidden' | 'absent', n: number): Sent;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object;
}

/** How many of each there are. */
export const many = 500;

const three = (n: number): string => String(n % many).padStart(3, '0');

/** Names of equal length, in the same folder. */
const document = (is: 'hidden' | 'absent', n: number): string => `shut/${is}-${three(n)}.md`;
const folder = (is: 'hidden' | 'absent', n: number): string => `shut/${is}-folder-${three(n)}`;
const subject = { type: 'principal', id: 'prn_00000000000000000000' };

/** The state when the cases run; ids are known only then. */
export const hidden = {
  documents: Array.from({ length: many }, (_, n) => document('hidden', n)),
  folders: Array.from({ length: many }, (_, n) => `${folder('hidden', n)}/inside.md`),
  deleted: Array.from({ length: many }, (_, n) => `shut/hidden-gone-${three(n)}.md`),
  /** Ids of people and of groups with whom the caller shares nothing. */
  principals: [] as string[],
  groups: [] as string[],
  /** Ids of threads of comments on the documents. */
  threads: [] as string[],
  /** The caller's session in the console. */
  cookie: '',
};

const post = (path: string, body: object): Sent => ({
  method: 'POST',
  path,
  headers: { 'Idempotency-Key': 'timing' },
  body,
});
const version = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'timing', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (name: string, args: object): Sent => ({
  method: 'POST',
  path: '/mcp',
  headers: {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': version,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  },
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: envelope } },
});
const message = (to: string): Sent => call('message', { action: 'send', to: [to], subject: 'x', body: 'x' });
const thread = (is: 'hidden' | 'absent', n: number): string =>
  is === 'absent' ? `thr_${'0'.repeat(17)}${three(n)}` : (hidden.threads[n % many] ?? '');
const noCommit = '0'.repeat(40);
const get = (path: string): Sent => ({ method: 'GET', path });

/** A read in the console, by the same person. */
const inConsole = (path: string): Sent => ({
  method: 'GET',
  path: `/console/api/workspaces/acme${path}`,
  headers: { ...fromOurPage, Cookie: hidden.cookie },
});

/** The first request of a clone. */
const refs = (workspace: string, service = 'git-upload-pack'): Sent => ({
  method: 'GET',
  path: `/git/${workspace}/info/refs?service=${service}`,
  headers: { 'Git-Protocol': 'version=2' },
});

/** The routes of the table, each in all ways in which it can be about a hidden target. */
export const cases: readonly Case[] = [
  {
    name: 'control: GET of two absent documents',
    request: (is, n) => get(`/v1/documents/shut/${is === 'hidden' ? 'absurd' : 'absent'}-${three(n)}.md`),
  },
  { name: 'git: refs of another workspace', request: (is) => refs(is === 'hidden' ? 'other' : 'wrong') },
  {
    name: 'git: refs for a push to another workspace',
    request: (is) => refs(is === 'hidden' ? 'other' : 'wrong', 'git-receive-pack'),
  },
  { name: 'GET document', request: (is, n) => get(`/v1/documents/${document(is, n)}`) },
  { name: 'console: GET document', request: (is, n) => inConsole(`/documents/${document(is, n)}`) },
  { name: 'console: GET reader', request: (is, n) => inConsole(`/reader/${document(is, n)}`) },
  { name: 'console: GET entries', request: (is, n) => inConsole(`/entries?location=${folder(is, n)}`) },
  { name: 'console: GET sharing', request: (is, n) => inConsole(`/sharing?location=${document(is, n)}`) },
  { name: 'console: GET annotations', request: (is, n) => inConsole(`/annotations?location=${document(is, n)}`) },
  { name: 'console: GET live', request: (is, n) => inConsole(`/live?location=${document(is, n)}`) },
  { name: 'HEAD document', request: (is, n) => ({ method: 'HEAD', path: `/v1/documents/${document(is, n)}` }) },
  {
    name: 'PUT document',
    request: (is, n) => ({
      method: 'PUT',
      path: `/v1/documents/${document(is, n)}`,
      headers: { 'If-Match': '*' },
      body: { content: 'text' },
    }),
  },
  {
    name: 'DELETE document',
    request: (is, n) => ({
      method: 'DELETE',
      path: `/v1/documents/${document(is, n)}`,
      headers: { 'If-Match': '*' },
    }),
  },
  { name: 'POST documents', request: (is, n) => post('/v1/documents', { location: document(is, n), content: '' }) },
  { name: 'GET documents of a folder', request: (is, n) => get(`/v1/documents?location=${folder(is, n)}`) },
  { name: 'GET folders of a folder', request: (is, n) => get(`/v1/folders?location=${folder(is, n)}`) },
  { name: 'POST folders', request: (is, n) => post('/v1/folders', { location: folder(is, n) }) },
  { name: 'GET export', request: (is, n) => get(`/v1/folders/export?location=${folder(is, n)}`) },
  { name: 'POST renames', request: (is, n) => post('/v1/renames', { location: document(is, n), name: 'new.md' }) },
  {
    name: 'POST renames of a folder',
    request: (is, n) => post('/v1/renames', { location: folder(is, n), name: 'new' }),
  },
  { name: 'POST moves', request: (is, n) => post('/v1/moves', { location: document(is, n), to_folder: 'open' }) },
  {
    name: 'POST moves into a folder',
    request: (is, n) => post('/v1/moves', { location: 'open/inside.md', to_folder: folder(is, n) }),
  },
  {
    name: 'POST undeletes',
    request: (is, n) => post('/v1/undeletes', { location: `shut/${is}-gone-${three(n)}.md` }),
  },
  {
    name: 'GET grants of a folder',
    request: (is, n) => get(`/v1/grants?scope_type=folder&scope_id=${folder(is, n)}`),
  },
  {
    name: 'GET grants of a document',
    request: (is, n) => get(`/v1/grants?scope_type=document&scope_id=${document(is, n)}`),
  },
  {
    name: 'POST grants on a document',
    request: (is, n) =>
      post('/v1/grants', { scope_type: 'document', scope_id: document(is, n), subject, role: 'reader' }),
  },
  {
    name: 'DELETE grants on a document',
    request: (is, n) => ({
      method: 'DELETE',
      path: `/v1/grants?scope_type=document&scope_id=${document(is, n)}&subject_type=principal&subject_id=${subject.id}&role=reader`,
    }),
  },
  { name: 'GET changes of a document', request: (is, n) => get(`/v1/changes?location=${document(is, n)}&start=now`) },
  { name: 'GET changes of a folder', request: (is, n) => get(`/v1/changes?location=${folder(is, n)}&start=now`) },
  { name: 'GET audit of a folder', request: (is, n) => get(`/v1/audit?location=${folder(is, n)}`) },
  { name: 'GET webhooks of a folder', request: (is, n) => get(`/v1/webhooks?location=${folder(is, n)}`) },
  {
    name: 'POST webhooks at a folder',
    request: (is, n) =>
      post('/v1/webhooks', { name: 'x', url: 'https://203.0.113.1/', location: folder(is, n), kinds: ['created'] }),
  },
  { name: 'GET audit of a document', request: (is, n) => get(`/v1/audit?location=${document(is, n)}`) },
  { name: 'GET history', request: (is, n) => get(`/v1/history?location=${document(is, n)}`) },
  { name: 'GET diff', request: (is, n) => get(`/v1/diffs?location=${document(is, n)}`) },
  { name: 'POST labels', request: (is, n) => post('/v1/labels', { location: document(is, n), labels: ['x'] }) },
  { name: 'GET claims', request: (is, n) => get(`/v1/claims?location=${document(is, n)}`) },
  { name: 'POST claims', request: (is, n) => post('/v1/claims', { location: document(is, n) }) },
  { name: 'GET comments', request: (is, n) => get(`/v1/comments?location=${document(is, n)}`) },
  { name: 'POST comments', request: (is, n) => post('/v1/comments', { location: document(is, n), text: 'x' }) },
  { name: 'GET search below a folder', request: (is, n) => get(`/v1/search?q=text&location=${folder(is, n)}`) },
  { name: 'GET search for a word', request: (is) => get(`/v1/search?q=${is === 'hidden' ? 'quagzip' : 'quagzop'}`) },
  { name: 'GET search by label', request: (is) => get(`/v1/search?q=text&label=${is}`) },
  { name: 'read_org_doc', request: (is, n) => call('read_org_doc', { location: document(is, n) }) },
  {
    name: 'read_org_doc of an older version',
    request: (is, n) => call('read_org_doc', { location: document(is, n), commit: noCommit }),
  },
  {
    name: 'read_org_doc of changes',
    request: (is, n) => call('read_org_doc', { location: document(is, n), since_commit: noCommit }),
  },
  {
    name: 'message read of comments',
    request: (is, n) => call('message', { action: 'read', thread_id: thread(is, n) }),
  },
  {
    name: 'message in answer to comments',
    request: (is, n) => call('message', { action: 'send', thread_id: thread(is, n), body: 'x' }),
  },
  {
    name: 'edit_org_doc',
    request: (is, n) =>
      call('edit_org_doc', {
        location: document(is, n),
        expected_commit: noCommit,
        edits: [{ op: 'append', new_text: 'x' }],
      }),
  },
  {
    name: 'delete_org_doc',
    request: (is, n) => call('delete_org_doc', { location: document(is, n), expected_commit: noCommit }),
  },
  { name: 'claim', request: (is, n) => call('claim', { action: 'take', location: document(is, n) }) },
  { name: 'who_can_read a document', request: (is, n) => call('who_can_read', { location: document(is, n) }) },
  { name: 'who_can_read a folder', request: (is, n) => call('who_can_read', { location: folder(is, n) }) },
  {
    name: 'message to a principal',
    request: (is, n) =>
      message(is === 'absent' ? `prn_${'0'.repeat(17)}${three(n)}` : (hidden.principals[n % many] ?? '')),
  },
  {
    name: 'message to a group',
    request: (is, n) => message(is === 'absent' ? `grp_${'0'.repeat(17)}${three(n)}` : (hidden.groups[n % many] ?? '')),
  },
  {
    name: 'message about a document',
    request: (is, n) =>
      call('message', { action: 'send', to: [subject.id], subject: 'x', body: 'x', about: document(is, n) }),
  },
];
