import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDefinitions } from '../../lib/mcp/definition.js';
import { routes as consoleRoutes } from '../../lib/console/console-routes.js';
import { prefix, routes } from '../../lib/api/rest/rest-routes.js';
import { fromOurPage } from '../support/http/console.js';
import { WatchedServer } from '../support/processes/watched-server.js';
import { McpClient } from '../support/http/open-mcp.js';
import { consoleStart, largePages, makeLargeConsoleRequests } from './console-requests.js';
import { gitRoutes, makeLargeGitRequests, makeLargeGitWork } from './git-requests.js';
import { makeLargeCalls } from './mcp-requests.js';
import type { LargeRequest } from './large-request.js';
import { makeLargeRequests } from './rest-requests.js';
import { makeLargeWorld, type LargeWorld } from './world.js';

/** Milliseconds of processor time. No request may hold the event loop for longer. */
const maxHold = 50;
/** A hold of the request itself shows each time; one of the engine or the disk only sometimes. */
const rounds = 3;

describe('The event loop', function () {
  this.timeout(300_000);
  let world: LargeWorld;
  let server: WatchedServer;
  let serial = 0;

  before(async () => {
    world = await makeLargeWorld();
    server = await WatchedServer.start('--data', world.dataFolder);
    // Compiles the code that all requests use.
    for (let warming = 0; warming < 30; warming += 1) {
      await send({ route: '', as: 'editor', target: '/v1/search?q=text', status: 200 });
      await send({ route: '', as: 'editor', target: '/v1/documents/history.md', status: 200 });
    }
  });
  after(async () => {
    await server.stop();
    await world.remove();
  });

  it('is held by no request of any route, however large it is', async () => {
    const requests = makeLargeRequests(world.writerId);
    const covered = new Set(requests.map(({ route }) => route));
    const missing = routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !covered.has(route));
    assert.deepEqual(missing, [], 'every route of the table is asked');
    assert.deepEqual(await findHolds(requests), []);
  });

  it('is held by no request of the console’s own, however large it is', async () => {
    const requests = makeLargeConsoleRequests(world.admin.id);
    const covered = new Set(requests.map(({ route }) => route));
    // A row that REST has too is asked there: both answer by the same code.
    for (const { method, path } of routes) covered.add(`${method} ${path.slice(prefix.length)}`);
    const missing = consoleRoutes.map(({ method, path }) => `${method} ${path}`).filter((route) => !covered.has(route));
    assert.deepEqual(missing, [], 'every row is asked');
    const placed = requests.map((each) => ({ ...each, target: consoleStart + each.target }));
    assert.deepEqual(await findHolds([...placed, ...largePages]), []);
  });

  it('is held by no request of git, however large it is', async () => {
    const { host } = new URL(server.url);
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-large-'));
    try {
      const work = await makeLargeGitWork(folder, (role) => `http://git:${world.keys[role]}@${host}/git/acme`);
      const requests = makeLargeGitRequests(work);
      assert.deepEqual(new Set(requests.map(({ route }) => route)), new Set(gitRoutes), 'every route is asked');
      assert.deepEqual(await findHolds(requests), []);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const pushed = { route: 'GET /v1/documents', as: 'editor', target: '/v1/documents/line.md', status: 200 } as const;
    assert.equal(await send(pushed), 200, 'the last push was taken in');
  });

  /** @returns what was answered otherwise than it should, or held the loop */
  async function findHolds(requests: readonly LargeRequest[]): Promise<string[]> {
    const wrong: string[] = [];
    for (const each of requests) {
      const name = `${each.route}${each.kind === undefined ? '' : ` (${each.kind})`}`;
      const statuses: number[] = [];
      const held = await holdOf(async () => void statuses.push(await send(each)));
      if (statuses[0] !== each.status) wrong.push(`${name}: ${statuses[0]}`);
      if (held >= maxHold) wrong.push(`${name}: ${held.toFixed(0)} ms`);
    }
    return wrong;
  }

  it('is held by no check of the whole audit log', async () => {
    const headers = { authorization: `Bearer ${world.keys.approver}` };
    const check = async (): Promise<void> => {
      serial += 1;
      const key = { 'idempotency-key': `bounds-${serial}` };
      const url = `${server.url}/v1/audit/verifications`;
      const begun = await fetch(url, { method: 'POST', headers: { ...headers, ...key } });
      let told = (await begun.json()) as Verification;
      while (told.ended_at === null)
        told = (await (await fetch(`${url}/${told.id}`, { headers })).json()) as Verification;
      assert.equal(told.result?.sound, true);
      assert.ok(told.records > 1000, `only ${told.records} records were checked`);
    };
    const held = await holdOf(check);
    assert.ok(held < maxHold, `held for ${held.toFixed(1)} ms`);
  });

  it('is held by no call of any tool, however large it is', async () => {
    const client = new McpClient(server.url, world.keys.editor);
    const commits = new Map<string, string>();
    for (const location of ['large/letters.txt', 'large/lists.md', 'large/headings.md']) {
      const { done } = await client.call('read_org_doc', { location });
      commits.set(location, done.commit as string);
    }
    for (const location of ['changed.md', 'long/words.md']) commits.set(location, await firstCommit(location));
    const listed = await client.call('message', { action: 'list', box: 'comments', about: 'quoted.txt', limit: 1 });
    const calls = makeLargeCalls({ commits, threadId: listed.done.threads[0].thread_id as string });
    const covered = new Set(calls.map(({ tool }) => tool));
    assert.deepEqual(
      [...readDefinitions().keys()].filter((tool) => !covered.has(tool)),
      [],
      'every tool is called',
    );
    const wrong: string[] = [];
    for (const { tool, kind, args, outcome } of calls) {
      const name = `${tool}${kind === undefined ? '' : ` (${kind})`}`;
      const outcomes: string[] = [];
      const held = await holdOf(async () => {
        const { refusal } = await client.call(tool, args);
        outcomes.push(refusal === '' ? 'done' : refusal);
      });
      if (outcomes[0] !== outcome) wrong.push(`${name}: ${outcomes[0]}`);
      if (held >= maxHold) wrong.push(`${name}: ${held.toFixed(0)} ms`);
    }
    assert.deepEqual(wrong, []);
  });

  /** @returns the status; the answer is read and forgotten */
  function send({ route, as, target, headers, body, status }: LargeRequest): Promise<number> {
    const { hostname, port } = new URL(server.url);
    serial += 1;
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          hostname,
          port,
          method: route.split(' ')[0] === '' ? 'GET' : route.split(' ')[0],
          path: target,
          headers: {
            ...(as === 'admin in the console'
              ? { ...fromOurPage, cookie: world.admin.cookie }
              : { authorization: `Bearer ${world.keys[as]}` }),
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            'idempotency-key': `bounds-${serial}`,
            ...headers,
          },
        },
        (response) => {
          response.on('error', reject);
          response.on('end', () => resolve(response.statusCode ?? 0));
          // A live stream has no end of its own.
          if (response.headers['content-type'] === 'text/event-stream') {
            response.once('data', () => resolve(response.statusCode ?? 0));
            setTimeout(() => outgoing.destroy(), 1500).unref();
          }
          response.resume();
        },
      );
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The connection ends with the refusal of a large body, while this client may still be sending.
        const isCutOff = status === 413 && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
        if (isCutOff) resolve(status);
        else reject(error);
      });
      outgoing.end(body);
    });
  }

  async function firstCommit(location: string): Promise<string> {
    const headers = { authorization: `Bearer ${world.keys.editor}` };
    const answer = await fetch(`${server.url}/v1/history?location=${encodeURIComponent(location)}`, { headers });
    const { items } = (await answer.json()) as {
      readonly items: readonly { readonly version: { readonly id: string } }[];
    };
    return items.at(-1)?.version.id ?? '';
  }

  /** The shortest of several longest holds. */
  async function holdOf(work: () => Promise<void>): Promise<number> {
    const holds: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await server.holds();
      await work();
      // The work left behind by the request belongs to it.
      await new Promise((resolve) => setTimeout(resolve, 20));
      holds.push((await server.holds()).held);
      if (Math.min(...holds) < maxHold) break;
    }
    return Math.min(...holds);
  }
});

interface Verification {
  readonly id: string;
  readonly ended_at: string | null;
  readonly records: number;
  readonly result: { readonly sound: boolean } | null;
}
