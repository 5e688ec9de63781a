import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type OAuthServer } from '../../support/oauth/server.js';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const hook = new URL('./fs-hook.js', import.meta.url).href;

/** The suite has no known complaint: every scenario of it is here and passes. */
describe('The protocol’s own conformance suite, for authorization servers', function suite() {
  this.timeout(30_000);
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());

  it('passes each of its scenarios', async () => {
    const output = await run();
    assert.match(output, /\nTotal: 3 passed, 0 failed\n[^]*\nexit 0$/, output);
  });

  /** Runs all scenarios; where one asks a person to open an address, the person does. */
  async function run(): Promise<string> {
    const port = await findFreePort();
    const person = await server.person(`person-${port}`);
    const redirect = `http://127.0.0.1:${port}/callback`;
    const { client } = await OAuthClient.register(server, { redirect_uris: [redirect] });
    const options = ['--url', server.url, '--port', String(port)];
    const whose = ['--client-id', client.client_id, '--resource', `${server.url}/mcp`];
    const child = spawn(process.execPath, ['--import', hook, program, 'authorization', ...options, ...whose], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let isAsked = false;
    const visits: Promise<unknown>[] = [];
    const read = (piece: Buffer): void => {
      output += piece.toString();
      const asked = /https?:\/\/\S+\/oauth\/authorize\?\S+/.exec(output)?.[0];
      if (asked === undefined || isAsked) return;
      isAsked = true;
      visits.push(letIn(server.browserOf(person), asked).then(({ location }) => fetch(location)));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const status = await new Promise<number | null>((ended) => child.on('close', ended));
    await Promise.all(visits);
    return `${output}\nexit ${status}`;
  }
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
