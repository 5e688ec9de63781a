/** Runs in the copy made by `trace.ts`: makes requests and prints the files of lib that each one enters. */
import { openMcpServer } from '../support/http/open-mcp.js';

const entered: string[] = [];
Object.assign(globalThis, { noteEntered: (file: string) => entered.push(file) });

const server = await openMcpServer({ store: 'disk', server: { validateResponses: false } });
const { key } = await server.host.person('editor', '');
const { key: agentKey } = await server.agent('editor');
const clock = server.host.clock;
let serial = 0;

async function ask(method: string, target: string, more: Record<string, string> = {}, body?: unknown): Promise<string> {
  clock.advance(1000);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`${server.rest.url}${target}`, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status}`);
  return text;
}

/** @returns the structured content. @throws Error for a refusal, which has a shorter way. */
async function call(name: string, parameters: object): Promise<{ readonly commit?: string }> {
  const text = await ask(
    'POST',
    '/mcp',
    {
      Authorization: `Bearer ${agentKey}`,
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-06-18',
    },
    {
      jsonrpc: '2.0',
      id: (serial += 1),
      method: 'tools/call',
      params: { name, arguments: parameters },
    },
  );
  // The answer is one JSON text, alone or as the data of one event.
  const { result } = JSON.parse(text.slice(text.indexOf('{'))) as {
    result?: { isError?: boolean; structuredContent: { commit?: string } };
  };
  if (result === undefined || result.isError === true) throw new Error(`${name}: ${text}`);
  return result.structuredContent;
}

let commit: string | undefined;
async function edit(): Promise<void> {
  const edits = [{ op: 'append', new_text: `more ${(serial += 1)}` }];
  ({ commit } = await call('edit_org_doc', { location: 'b.md', expected_commit: commit, edits }));
}

const requests: Readonly<Record<string, () => Promise<unknown>>> = {
  get: () => ask('GET', '/v1/documents/a.md'),
  put: () => ask('PUT', '/v1/documents/a.md', { 'If-Match': '*' }, { content: `text ${(serial += 1)}` }),
  create: () => {
    serial += 1;
    return ask(
      'POST',
      '/v1/documents',
      { 'Idempotency-Key': `k-${serial}` },
      { location: `n/${serial}.md`, content: 'x' },
    );
  },
  search: () => ask('GET', '/v1/search?q=text'),
  'mcp-read': () => call('read_org_doc', { location: 'a.md' }),
  'mcp-edit': edit,
};

const showsFiles = process.argv.includes('--files');
const wanted = process.argv.slice(2).filter((name) => !name.startsWith('--'));
await ask('POST', '/v1/documents', { 'Idempotency-Key': 'first' }, { location: 'a.md', content: 'text' });
await ask('POST', '/v1/documents', { 'Idempotency-Key': 'second' }, { location: 'b.md', content: 'text' });
({ commit } = await call('read_org_doc', { location: 'b.md' }));
process.stdout.write('request      files  changes of room  functions\n');
for (const [name, run] of Object.entries(requests)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (let time = 0; time < 20; time += 1) await run();
  await server.host.workspace.search.settled();
  entered.length = 0;
  await run();
  const files = [...new Set(entered)];
  const rooms = entered.map((file) => file.split('/')[0]);
  const changes = rooms.filter((room, index) => index > 0 && room !== rooms[index - 1]).length;
  process.stdout.write(
    `${name.padEnd(12)} ${String(files.length).padStart(5)} ${String(changes).padStart(16)} ${String(entered.length).padStart(10)}\n`,
  );
  if (showsFiles) process.stdout.write(files.map((file) => `  ${file}\n`).join(''));
}
await server.close();
