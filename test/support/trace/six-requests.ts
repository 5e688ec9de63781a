/** The six requests whose way through the house is measured, over real HTTP against a warm service on the disk. */
import { openMcpServer } from '../http/open-mcp.js';

export interface SixRequests {
  readonly requests: Readonly<Record<string, () => Promise<unknown>>>;
  /** Makes the request, after enough of the same kind that every cache is warm and nothing runs in the background. */
  warmUp(run: () => Promise<unknown>): Promise<void>;
  /** Asks a question twice in one state, to show that this is noticed. */
  askTwice(): void;
  close(): Promise<void>;
}

/**
 * Opens a service with two documents, a person and an agent. Both are editors of the whole workspace, or hold grants on
 * one folder and on each document: then each decision takes look-ups.
 */
export async function openSixRequests(held: 'everything' | 'documents' = 'everything'): Promise<SixRequests> {
  const server = await openMcpServer({ store: 'disk', server: { validateResponses: false } });
  const { host } = server;
  const isNarrow = held === 'documents';
  const { id, key } = await host.person('editor', isNarrow ? 'n' : '');
  const { id: agentId, key: agentKey } = await server.agent('editor', isNarrow ? 'n' : '', 'agent');
  const { clock } = host;
  let serial = 0;
  let commit: string | undefined = undefined;

  async function ask(
    method: string,
    target: string,
    more: Record<string, string> = {},
    body?: unknown,
  ): Promise<string> {
    clock.advance(1000);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${server.rest.url}${target}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text}`);
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
      { jsonrpc: '2.0', id: (serial += 1), method: 'tools/call', params: { name, arguments: parameters } },
    );
    // The answer is one JSON text, alone or as the data of one event.
    const { result } = JSON.parse(text.slice(text.indexOf('{'))) as {
      result?: { isError?: boolean; structuredContent: { commit?: string } };
    };
    if (result === undefined || result.isError === true) throw new Error(`${name}: ${text}`);
    return result.structuredContent;
  }

  async function edit(): Promise<void> {
    const edits = [{ op: 'append', new_text: `more ${(serial += 1)}` }];
    ({ commit } = await call('edit_org_doc', { location: 'b.md', expected_commit: commit, edits }));
  }

  function create(location: string, content: string): Promise<string> {
    serial += 1;
    return ask('POST', '/v1/documents', { 'Idempotency-Key': `k-${serial}` }, { location, content });
  }

  const { key: adminKey } = await host.person('approver', '', 'admin');
  for (const location of ['a.md', 'b.md']) {
    await ask(
      'POST',
      '/v1/documents',
      { 'Idempotency-Key': location, Authorization: `Bearer ${adminKey}` },
      { location, content: '# text\n' },
    );
    if (!isNarrow) continue;
    for (const holder of [id, agentId])
      await host.grant('editor', { type: 'principal', id: holder }, location, 'document');
  }
  ({ commit } = await call('read_org_doc', { location: 'b.md' }));
  return {
    requests: {
      get: () => ask('GET', '/v1/documents/a.md'),
      put: () => ask('PUT', '/v1/documents/a.md', { 'If-Match': '*' }, { content: `text ${(serial += 1)}` }),
      create: () => create(`n/${(serial += 1)}.md`, 'x'),
      search: () => ask('GET', '/v1/search?q=text'),
      'mcp-read': () => call('read_org_doc', { location: 'a.md' }),
      'mcp-edit': edit,
    },
    async warmUp(run) {
      for (let time = 0; time < 20; time += 1) await run();
      await host.workspace.search.settled();
    },
    askTwice() {
      const { documents } = host.workspace.journal.reader;
      for (let time = 0; time < 2; time += 1) documents.idAt(1, 'a.md');
    },
    close: () => server.close(),
  };
}
