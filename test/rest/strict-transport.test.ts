import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { mountMcp } from '../../lib/mcp/mount-mcp.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { noLog } from '../support/http/log.js';
import { OAuthServer } from '../support/oauth/server.js';

const header = 'strict-transport-security';
const forAYear = 'max-age=31536000';

describe('Where the service is offered over https', () => {
  let server: TestServer;
  let oauth: OAuthServer;
  let key: string;
  before(async () => {
    ({ server, oauth } = await open('https://files.example.org'));
    ({ key } = await server.host.person('editor'));
  });
  after(() => oauth.close());

  const requests: readonly (readonly [what: string, method: string, path: string, status: number])[] = [
    ['REST', 'GET', '/v1/folders', 200],
    ['REST, with a body of bytes', 'GET', '/v1/openapi.yaml', 200],
    ['REST, for what is not there', 'GET', '/v1/documents/nothing', 404],
    ['no face at all', 'GET', '/nothing', 404],
    ['MCP', 'POST', '/mcp', 401],
    ['MCP, to a method that it does not take', 'GET', '/mcp', 405],
    ['sign-in', 'GET', '/signin/forgotten', 200],
    ['sign-in, to a form that is none', 'POST', '/signin', 400],
    ['OAuth', 'GET', '/.well-known/oauth-authorization-server', 200],
    ['OAuth, for the resource', 'GET', '/.well-known/oauth-protected-resource', 200],
    ['OAuth, to a request that is none', 'POST', '/oauth/token', 400],
    ['OAuth, to a client that is none', 'GET', '/oauth/authorize?client_id=x', 400],
    ['OAuth, to a script', 'OPTIONS', '/oauth/register', 204],
  ];
  for (const [what, method, path, status] of requests) {
    it(`browsers get the order to use https alone from ${what}`, async () => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${server.rest.url}${path}`, { method, headers, redirect: 'manual' });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get(header), forAYear);
    });
  }

  it('and from the answer to a request that is no HTTP', async () => {
    const socket = connect(server.rest.port, '127.0.0.1');
    socket.end('GET /\x01 nonsense\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1\.1 400 [^]*\r\nStrict-Transport-Security: max-age=31536000\r\n/);
  });
});

describe('Where the service is offered over http', () => {
  it('sends no Strict-Transport-Security', async () => {
    for (const publicUrl of [null, 'http://127.0.0.1:8080']) {
      const { server, oauth } = await open(publicUrl);
      try {
        for (const path of ['/v1/health', '/mcp', '/signin', '/.well-known/oauth-authorization-server', '/nothing']) {
          const answer = await fetch(`${server.rest.url}${path}`);
          assert.equal(answer.headers.get(header), null, path);
        }
      } finally {
        await oauth.close();
      }
    }
  });
});

/** Every face on the port, as it is found at an address. */
async function open(publicUrl: string | null): Promise<{ server: TestServer; oauth: OAuthServer }> {
  const server = await openTestServer({ server: { publicUrl } });
  const oauth = await OAuthServer.start(server, publicUrl === null ? {} : { publicUrl });
  const { rest, host } = server;
  const { later, addressOf } = rest;
  const options = { version: '0.0.0', log: noLog, corsOrigins: [], later, addressOf };
  rest.mount(mountMcp(host.service, { ...options, publicUrl: publicUrl ?? rest.url }));
  return { server, oauth };
}
