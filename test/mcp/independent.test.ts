import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveFixtures } from './independent/fixtures.js';
import { openChecks, subscriptionChecks } from './independent/open-checks.js';
import { readChecks, type SuiteChecks } from './independent/read-checks.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';

const conformance = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const inspector = resolve(dirname(conformance), '../../inspector/clients/launcher/build/index.js');
const hook = new URL('../signin/conformance/fs-hook.js', import.meta.url).href;

describe('MCP, to programs of other makers', function () {
  this.timeout(120_000);

  let server: McpTestServer;
  let proxy: Server;
  let key: string;
  let url: string;
  let folder: string;
  let fixtures: McpTestServer;
  let fixturesKey: string;
  let fixturesProxy: Server;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cartulary-independent-'));
    proxy = await openProxy(
      () => server.rest.port,
      () => key,
    );
    url = urlOf(proxy);
    server = await openMcpServer({ publicUrl: url });
    const agent = await server.agent('editor', 'team');
    ({ key } = agent);
    await agent.client.call('write_org_doc', { location: 'team/a.md', content: '# A\n' });
    fixturesProxy = await openProxy(
      () => fixtures.rest.port,
      () => fixturesKey,
    );
    fixtures = await openMcpServer({ publicUrl: urlOf(fixturesProxy), serve: serveFixtures });
    fixturesKey = (await fixtures.agent('reader')).key;
  });
  after(async () => {
    for (const each of [proxy, fixturesProxy]) {
      each.closeAllConnections();
      each.close();
    }
    await fixtures.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  for (const [revision, open] of Object.entries(openChecks)) {
    const names = (...reasons: readonly object[]): string[] => reasons.flatMap((each) => Object.keys(each)).sort();
    const wanted = revision === '2026-07-28' ? subscriptionChecks : [];

    it(`conforms to the revision of ${revision} in all that it offers, and every check without a verdict is known`, async () => {
      const { passed, withoutVerdict, unscored } = await conform(url, revision, 'not-applicable');
      assert.deepEqual(withoutVerdict, names(open.withoutVerdict, open.withoutSuiteTools));
      assert.deepEqual(unscored, names(open.unscored));
      for (const check of wanted) assert.ok(passed.has(check), check);
    });

    it(`carries every kind of message of the revision of ${revision}, with the suite’s own tools, resources and prompts`, async () => {
      const { passed, withoutVerdict, unscored } = await conform(urlOf(fixturesProxy), revision, 'expected-failures');
      assert.deepEqual(withoutVerdict, names(open.withoutVerdict));
      assert.deepEqual(unscored, names(open.unscored));
      for (const check of wanted) assert.ok(passed.has(check), check);
    });
  }

  for (const era of ['modern', 'legacy']) {
    it(`is understood by the strict inspector as a ${era} server`, async () => {
      const asked = ['--cli', `${server.rest.url}/mcp`, '--header', `Authorization: Bearer ${key}`];
      const call = (...method: string[]) =>
        run([inspector, ...asked, '--protocol-era', era, '--method', ...method], folder);
      const [tools, read, resources] = await Promise.all([
        call('tools/list', '--strict'),
        call('tools/call', '--tool-name', 'read_org_doc', '--tool-arg', 'location=team/a.md'),
        call('resources/list'),
      ]);
      assert.equal(tools.code, 0, tools.output);
      assert.match(tools.output, /"name": "edit_org_doc"/);
      assert.equal(read.code, 0, read.output);
      assert.match(read.output, /"role": "editor"/);
      assert.equal(resources.code, 0, resources.output);
      assert.match(resources.output, /cartulary:\/\/doc\/team\/a\.md/);
    });
  }

  /**
   * Runs the suite; it fails at an unlisted failure, and at a listed case without one.
   * @returns its checks one by one: its exit status tells nothing of those that it skipped or only warns of
   */
  async function conform(at: string, revision: string, list: string): Promise<SuiteChecks> {
    const known = resolve(`test/mcp/independent/${list}-${revision}.yaml`);
    const results = join(folder, `${list}-${revision}`);
    const lists = ['--requirements', revision, '--expected-failures', known];
    const asked = ['server', '--url', `${at}/mcp`, ...lists, '--output-dir', results];
    const { code, output } = await run(['--import', hook, conformance, ...asked], folder);
    assert.equal(code, 0, output.slice(output.indexOf('=== SUMMARY')));
    return readChecks(results, revision);
  }
});

const urlOf = (proxy: Server): string => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

/** Adds the key to requests, since the suite has none to send. */
async function openProxy(port: () => number, key: () => string): Promise<Server> {
  const proxy = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key()}` };
    const outgoing = request({ port: port(), path: incoming.url, method: incoming.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready));
  return proxy;
}

/** Runs a program to its end. */
function run(
  parameters: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((ended) => {
    const child = spawn(process.execPath, parameters, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const read = (piece: Buffer): void => void (output += piece.toString());
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', (code) => ended({ code, output }));
  });
}
