import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { makeDocumentFetcher } from '../../../lib/signin/oauth/fetch-document.js';
import { testCertificate, testCertificateKey } from '../../support/signin/certificate.js';
import { RawConnection } from '../../support/http/raw-connection.js';
import { discover, OAuthClient } from '../../support/oauth/client.js';
import { openOAuthServer, type OAuthServer } from '../../support/oauth/server.js';

describe('The existing paths', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());

  it('those of the description, in these very letters, and no others', async () => {
    for (const path of [
      '/oauth/REGISTER',
      '/oauth/Register',
      '/oauth/register/',
      '/oauth/register/x',
      '/oauth//register',
      '/oauth/%72egister',
      '/oauth/Token',
      '/oauth/token/x',
      '/oauth/nothing',
      '/oauth/authorize/',
      '/oauth/authorize/a/b',
      '/oauth/interaction',
      '/oauth/interaction/',
      '/oauth/toString',
    ]) {
      for (const method of ['GET', 'POST']) assert.equal((await send(path, method)).status, 404, `${method} ${path}`);
    }
    assert.equal((await send('/oauth/register')).status, 201);
  });

  it('and the log names them, and no value of the request', async () => {
    await send('/oauth/Authorize/a-secret', 'GET');
    await send('/oauth/a-secret', 'GET');
    await send('/oauth/interaction/a-secret', 'GET');
    await send('/oauth/authorize/a-secret', 'GET');
    const log = JSON.stringify(server.log);
    assert.ok(!log.includes('a-secret'), log);
    const routes = server.log.map((line) => line['route']);
    assert.deepEqual(routes.slice(-4), ['unknown', 'unknown', '/oauth/interaction/{id}', '/oauth/authorize/{id}']);
  });

  it('refuse what comes before their own checks in the form of their reader: JSON for a program, a page for a person', async () => {
    const { port } = new URL(server.url);
    for (const [target, type, form] of [
      ['POST /oauth/token', 'application/json', /^\{"error":"invalid_request","error_description":"The header Host/],
      ['POST /oauth/register', 'application/json', /^\{"error":"invalid_request"/],
      ['GET /oauth/authorize', 'text/html', /The header Host/],
    ] as const) {
      const connection = await RawConnection.open(Number(port));
      connection.write(`${target} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`);
      const { status, head, body } = await connection.read();
      connection.end();
      assert.equal(status, 400, target);
      assert.match(head, new RegExp(`^content-type: ${type}`, 'im'), target);
      assert.match(body, form, target);
    }
  });

  const send = (path: string, method = 'POST') =>
    fetch(`${server.url}${path}`, {
      method,
      redirect: 'manual',
      ...(method === 'POST' && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://a.example/cb'] }),
      }),
    });
});

describe('Documents of clients, asked for by a stranger without end', () => {
  let server: OAuthServer;
  let site: Server;
  let origin: string;
  before(async () => {
    site = createServer({ cert: testCertificate, key: testCertificateKey }, (request, response) => {
      if (request.url?.startsWith('/client') !== true) return void response.writeHead(404).end();
      const document = {
        client_id: `${origin}${request.url}`,
        client_name: 'Described',
        redirect_uris: ['http://127.0.0.1/callback'],
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
    await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
    origin = `https://localhost:${(site.address() as AddressInfo).port}`;
  });
  after(() => site.close());
  beforeEach(async () => {
    const allows = (address: string): boolean => /^127\.|^::1$/.test(address);
    const fetchDocument = makeDocumentFetcher({ allows, ca: testCertificate });
    server = await openOAuthServer({ server: { trustProxy: 1 }, oauth: { fetchDocument } });
  });
  afterEach(() => server.close());

  it('are fetched for others, and the refused client learns when to ask again', async () => {
    const person = await server.person();
    const known = await clientAt('/client-known');
    const { refresh_token: token = '' } = await known.signIn(server.browserOf(person));
    let count = 0;
    let refused = await ask('/missing', '2001:db8::1');
    for (; refused.status === 400 && count < 100; count += 1) {
      refused = await ask(`/missing-${count}`, `2001:db8::${count.toString(16)}`);
    }
    assert.ok(count > 20 && count <= 60, String(count));
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    // The fetched description of the known one is forgotten, as after an hour.
    server.face.rotateKeys();
    assert.equal((await ask('/client-new', '203.0.113.9')).status, 303, 'from elsewhere');
    assert.equal((await ask('/client-known', '2001:db8::ffff')).status, 303, 'what somebody let in is asked for apart');
    await known.refresh(token);
  });

  /** Begins a sign-in with a client described at another site. */
  const ask = async (path: string, address: string) => {
    const { url } = await (await clientAt(path)).ask();
    return fetch(url, { redirect: 'manual', headers: { 'X-Forwarded-For': address } });
  };

  async function clientAt(path: string): Promise<OAuthClient> {
    const authority = await discover(server.url);
    const redirect = 'http://127.0.0.1:4711/callback';
    return new OAuthClient(authority, { client_id: origin + path }, oauth.None(), redirect, `${server.url}/mcp`);
  }
});
