import { request, Agent } from 'node:http';
import { authorization, type Effort } from './measure-core.js';
import { median } from './drive.js';
import type { Report } from './report.js';
import { seed, textOf, type Seeded } from './seed.js';
import { startCartulary, type RunningServer } from './start-server.js';

/** Requests of one kind under way at a time, each by an agent of its own. */
const clients = 8;
const revision = '2026-07-28';

interface Sent {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Got {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The next request of a client, and what it takes from the answer. */
interface Kind {
  readonly next: (client: number, round: number) => Sent;
  readonly note?: (client: number, got: Got) => void;
}

/** Speaks to the service over connections that stay open. */
class Sender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: clients });
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  send({ method, path, body, headers }: Sent): Promise<Got> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sized =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const options = { method, agent: this.#agent, headers: { ...authorization(this.#key), ...sized, ...headers } };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.#url + path, options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const answer = Buffer.concat(pieces).toString();
          if (response.statusCode === 200 && !answer.includes('"isError":true')) {
            resolve({ headers: response.headers, text: answer });
          } else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer.slice(0, 500)}`));
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A call of a tool in the revision of 2026, or in that of 2025. */
function toolCall(name: string, args: object, modern: boolean): Sent {
  const params = { name, arguments: args };
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const accept = { accept: 'application/json, text/event-stream' };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  if (!modern) return { method: 'POST', path: '/mcp', headers: accept, body: { ...message, params } };
  const headers = { ...accept, 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name };
  return { method: 'POST', path: '/mcp', headers, body: { ...message, params: { ...params, _meta: envelope } } };
}

/** Milliseconds of the service's processor time for a request, in all its threads. */
async function costOf(server: RunningServer, sender: Sender, kind: Kind, count: number): Promise<number> {
  const before = server.processorSeconds();
  const rounds = Math.ceil(count / clients);
  const work = async (client: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const got = await sender.send(kind.next(client, round));
      kind.note?.(client, got);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return ((server.processorSeconds() - before) * 1000) / (rounds * clients);
}

function reads({ locations }: Seeded): { readonly rest: Kind; readonly tool: (modern: boolean) => Kind } {
  const at = (client: number, round: number): string => locations[(client * 131 + round * 17) % locations.length] ?? '';
  return {
    rest: { next: (client, round) => ({ method: 'GET', path: `/v1/documents/${at(client, round)}` }) },
    tool: (modern) => ({
      next: (client, round) => toolCall('read_org_doc', { location: at(client, round) }, modern),
    }),
  };
}

function searches(): { readonly rest: Kind; readonly tool: (modern: boolean) => Kind } {
  const words = (client: number, round: number): string => `charter ${(client + round) % 31} clause`;
  return {
    rest: {
      next: (client, round) => ({
        method: 'GET',
        path: `/v1/search?q=${encodeURIComponent(words(client, round))}&limit=10`,
      }),
    },
    tool: (modern) => ({
      next: (client, round) => toolCall('search_org_knowledge', { query: words(client, round) }, modern),
    }),
  };
}

/** Each client writes a document of its own, which the other kind of writes has left to it. */
async function writes(
  { locations }: Seeded,
  sender: Sender,
): Promise<{ readonly rest: Kind; readonly tool: (modern: boolean) => Kind }> {
  const own = locations.slice(0, clients);
  const commits: string[] = [];
  let serial = 0;
  const text = (mark: number): string => `mark ${mark}.\n${textOf(mark, 4000)}`;
  const noteTag = (client: number, { headers }: Got): void => {
    commits[client] = String(headers['etag']).replaceAll('"', '');
  };
  const put = (client: number): Sent => ({
    method: 'PUT',
    path: `/v1/documents/${own[client] ?? ''}`,
    headers: { 'if-match': commits[client] === undefined ? '*' : `"${commits[client]}"` },
    body: { content: text((serial += 1)) },
  });
  for (const client of own.keys()) noteTag(client, await sender.send(put(client)));
  const edit = (client: number, modern: boolean): Sent => {
    const edits = [{ op: 'replace_text', old_text: 'mark ', new_text: `mark ${(serial += 1) % 10}` }];
    return toolCall('edit_org_doc', { location: own[client], expected_commit: commits[client], edits }, modern);
  };
  return {
    rest: { next: put, note: noteTag },
    tool: (modern) => ({
      next: (client) => edit(client, modern),
      note: (client, { text: answer }) => {
        commits[client] = /"commit":"([0-9a-f]{40})"/.exec(answer)?.[1] ?? '';
      },
    }),
  };
}

/**
 * The processor time of an agent's call beside the same request by REST, and that of a brief, among 1,000 documents
 * that an import has just made.
 */
export async function measureAgents(report: Report, { times }: Effort): Promise<void> {
  const seeded = await seed(1000);
  const server = await startCartulary(seeded.dataFolder);
  const sender = new Sender(server.url, seeded.key);
  const pairs = [
    { what: 'read_org_doc of 4 kB', rest: 'GET', count: 2000, kinds: reads(seeded) },
    { what: 'edit_org_doc of 4 kB', rest: 'PUT', count: 400, kinds: await writes(seeded, sender) },
    { what: 'search_org_knowledge, 10 hits', rest: 'GET /v1/search', count: 400, kinds: searches() },
  ];
  for (const { what, rest, count, kinds } of pairs) {
    const costs: Readonly<Record<'rest' | '2025' | '2026', number[]>> = { rest: [], 2025: [], 2026: [] };
    // The first round warms up. The kinds alternate, so that a slower machine slows down all of them.
    for (let run = 0; run <= times; run += 1) {
      const one = [
        await costOf(server, sender, kinds.rest, count),
        await costOf(server, sender, kinds.tool(false), count),
        await costOf(server, sender, kinds.tool(true), count),
      ] as const;
      if (run === 0) continue;
      costs.rest.push(one[0]);
      costs[2025].push(one[1]);
      costs[2026].push(one[2]);
    }
    for (const era of ['2025', '2026'] as const) {
      report.add({
        what: `processor time of ${what}, revision of ${era}`,
        value: median(costs[era]),
        unit: 'ms',
        baseline: { name: rest, value: median(costs.rest) },
        goal: '≤ 1.5 ×',
      });
    }
  }
  const alone: readonly (readonly [string, Kind, string | undefined])[] = [
    ['brief_me', { next: () => toolCall('brief_me', {}, true) }, '≤ 3 ms'],
    [
      'brief_me that leaves the bookmark',
      { next: () => toolCall('brief_me', { keep_bookmark: true }, true) },
      '≤ 3 ms',
    ],
    [
      'tools/list',
      {
        next: () => ({
          method: 'POST',
          path: '/mcp',
          headers: { accept: 'application/json, text/event-stream' },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        }),
      },
      undefined,
    ],
  ];
  for (const [what, kind, goal] of alone) {
    const costs: number[] = [];
    for (let run = 0; run <= times; run += 1) {
      const cost = await costOf(server, sender, kind, 200);
      if (run > 0) costs.push(cost);
    }
    report.add({
      what: `processor time of ${what}`,
      value: median(costs),
      unit: 'ms',
      ...(goal === undefined ? {} : { goal }),
    });
  }
  sender.close();
  await server.stop();
  await seeded.remove();
}
