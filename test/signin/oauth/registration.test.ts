import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeDocumentFetcher } from '../../../lib/signin/oauth/fetch-document.js';
import { isPublicAddress } from '../../../lib/signin/oauth/public-address.js';
import { testCertificate, testCertificateKey } from '../../support/signin/certificate.js';
import * as oauth from 'oauth4webapi';
import { discover, OAuthClient } from '../../support/oauth/client.js';
import { letIn, openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('Clients that register themselves (RFC 7591)', () => {
  let server: OAuthServer;
  let person: Member;
  before(async () => {
    server = await openOAuthServer();
    person = await server.person();
  });
  after(() => server.close());

  it('need few fields: no scope, no grant types, no algorithm, no type', async () => {
    const response = await register({ redirect_uris: ['http://localhost:3000/callback'] });
    assert.equal(response.status, 201);
    const client = (await response.json()) as Record<string, unknown>;
    assert.equal(client['application_type'], 'native');
    assert.equal(client['id_token_signed_response_alg'], 'ES256');
    assert.deepEqual(client['grant_types'], ['authorization_code', 'refresh_token']);
    assert.equal(client['registration_access_token'], undefined, 'nobody reads or changes a registration later');
  });

  it('may name grants and answers that are not served: those are left out, as the answer says', async () => {
    const redirect_uris = ['http://127.0.0.1:33418/'];
    const response = await register({
      redirect_uris,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code', 'implicit'],
      response_types: ['code', 'token'],
      token_endpoint_auth_method: 'none',
    });
    const client = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(
      [client['grant_types'], client['response_types']],
      [['authorization_code', 'refresh_token'], ['code']],
    );
    const none = await register({ redirect_uris, grant_types: ['client_credentials'] });
    assert.equal(none.status, 400, 'nothing that is served is left');
  });

  it('that are programs on this machine return to any port', async () => {
    const client = await OAuthClient.register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
    const { url, state } = await client.ask({ redirect_uri: 'http://127.0.0.1:51234/callback' });
    const answer = await letIn(server.browserOf(person), url);
    assert.equal(new URL(answer.location).host, '127.0.0.1:51234');
    assert.ok(client.readAnswer(answer, state).get('code'));
  });

  it('may name scopes of the resource, and those of other services are left out', async () => {
    const scoped = await register({ redirect_uris: ['https://a.example/cb'], scope: 'org:read' });
    assert.equal(((await scoped.json()) as { scope: string }).scope, 'org:read');
    const foreign = await register({ redirect_uris: ['https://a.example/cb'], scope: 'org:read mcp:tools' });
    assert.equal(((await foreign.json()) as { scope: string }).scope, 'org:read');
    const only = await register({ redirect_uris: ['https://a.example/cb'], scope: 'mcp:tools' });
    assert.equal(only.status, 201);
  });

  it('with read alone are offered no more, although they ask for nothing', async () => {
    const client = await OAuthClient.register(server, { scope: 'org:read' });
    const tokens = await client.signIn(server.browserOf(person), { scope: undefined });
    assert.equal(tokens.scope, 'org:read');
    const { url, state } = await client.ask({ scope: 'org:read org:write' });
    const answer = await server.browserOf(person).get(url);
    assert.throws(() => client.readAnswer(answer, state), { error: 'invalid_scope' });
  });

  for (const [uri, why] of [
    ['http://files.example/cb', 'http to another machine'],
    ['javascript:alert(1)', 'a scheme that a browser runs'],
    ['data:text/html,x', 'a document in the address'],
    ['https://a.example/cb#part', 'a fragment'],
    ['/callback', 'no whole address'],
  ] as const) {
    it(`are refused with ${why}`, async () => {
      const response = await register({ redirect_uris: [uri] });
      assert.equal(response.status, 400);
      const { error } = (await response.json()) as { error: string };
      assert.ok(['invalid_redirect_uri', 'invalid_client_metadata'].includes(error), error);
    });
  }

  it('are refused when they are invalid JSON, no object, or too long', async () => {
    for (const body of ['{', '[]', '"x"', JSON.stringify({ client_name: 'x'.repeat(60_000) })]) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const response = await fetch(`${server.url}/oauth/register`, init).catch(() => undefined);
      assert.ok(response === undefined || response.status === 400 || response.status === 413);
    }
  });

  it('with a secret authenticate with it, by header or form, and with no other', async () => {
    const client = await OAuthClient.register(server, { token_endpoint_auth_method: 'client_secret_post' });
    const tokens = await client.signIn(server.browserOf(person));
    assert.notEqual(server.face.readAccessToken(tokens.access_token), undefined);
    const body = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    const other = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...body, client_id: client.client.client_id, client_secret: 'guessed' }),
    });
    assert.equal(other.status, 401);
    assert.equal(((await other.json()) as { error: string }).error, 'invalid_client');
  });

  it('stay registered without a limit of time, with or without consent', async () => {
    const client = await OAuthClient.register(server, { token_endpoint_auth_method: 'client_secret_post' });
    server.host.clock.advance(800 * 24 * 3600_000);
    await server.face.keepUp();
    await client.signIn(server.browserOf(person));
  });

  it('get the registered fields back, and no more are: none that would be fetched or kept for nothing', async () => {
    const response = await register({
      redirect_uris: ['https://a.example/cb'],
      client_name: 'n'.repeat(300),
      logo_uri: 'https://a.example/logo',
      contacts: ['ada@a.example'],
      jwks_uri: 'https://a.example/keys',
      sector_identifier_uri: 'https://a.example/sector',
      software_statement: 'x'.repeat(500),
      default_max_age: 5,
    });
    assert.equal(response.status, 201);
    const client = (await response.json()) as Record<string, unknown>;
    assert.equal(client['client_name'], 'n'.repeat(100));
    for (const name of ['logo_uri', 'contacts', 'jwks_uri', 'sector_identifier_uri', 'default_max_age']) {
      assert.equal(client[name], undefined, name);
    }
  });

  const addresses = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, at) => make(at));
  for (const [what, metadata] of [
    ['more than ten addresses', { redirect_uris: addresses(11, (at) => `https://a.example/${at}`) }],
    ['an address of more than 512 characters', { redirect_uris: [`https://a.example/${'x'.repeat(500)}`] }],
    [
      'addresses of more than 1,500 together',
      { redirect_uris: addresses(4, (at) => `https://a.example/${at}${'x'.repeat(400)}`) },
    ],
    ['a long scope', { redirect_uris: ['https://a.example/'], scope: 'a '.repeat(200) }],
    ['many grant types', { redirect_uris: ['https://a.example/'], grant_types: addresses(11, String) }],
    ['many values', { redirect_uris: ['https://a.example/'], x: addresses(101, String) }],
    ['lists in lists', { redirect_uris: [[[[['https://a.example/']]]]] }],
  ] as const) {
    it(`are refused with ${what}`, async () => {
      const response = await register(metadata);
      assert.equal(response.status, 400);
      assert.match(((await response.json()) as { error: string }).error, /^invalid_(?:redirect_uri|client_metadata)$/);
    });
  }

  it('are held to a rate for each address', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 62; count += 1) {
      statuses.push((await register({ redirect_uris: ['https://a.example/cb'] })).status);
    }
    assert.equal(statuses.at(-1), 429);
    server.host.clock.advance(60_000);
  });

  it('can be scripts on a page of any origin', async () => {
    const preflight = await fetch(`${server.url}/oauth/register`, { method: 'OPTIONS' });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
  });

  const register = (metadata: unknown) =>
    fetch(`${server.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
});

describe('Clients described by a document at their id', () => {
  let server: OAuthServer;
  let person: Member;
  let site: Server;
  let fetched: string[];
  let documents: Map<string, (origin: string) => unknown>;
  let origin: string;

  before(async () => {
    fetched = [];
    documents = new Map();
    site = createServer({ cert: testCertificate, key: testCertificateKey }, (request, response) => {
      const path = request.url ?? '';
      fetched.push(path);
      const document = documents.get(path)?.(origin);
      if (path === '/elsewhere.json') response.writeHead(302, { location: `${origin}/client.json` }).end();
      else if (document === undefined) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    });
    await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
    origin = `https://localhost:${(site.address() as AddressInfo).port}`;
    const fetchDocument = makeDocumentFetcher({
      allows: (address) => /^127\.|^::1$/.test(address),
      ca: testCertificate,
    });
    server = await openOAuthServer({ oauth: { fetchDocument } });
    person = await server.person();
    documents.set('/client.json', (at) => ({
      client_id: `${at}/client.json`,
      client_name: 'Described client',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    }));
  });
  after(async () => {
    site.close();
    await server.close();
  });

  it('get consent without registering; with loopback addresses they count as native, at any port', async () => {
    const client = await clientAt('/client.json');
    const tokens = await client.signIn(server.browserOf(person));
    assert.equal(server.face.readAccessToken(tokens.access_token)?.clientId, client.client.client_id);
    const next = await client.refresh(tokens.refresh_token ?? '');
    await client.revoke(next.refresh_token ?? '');
    assert.deepEqual(await client.introspect(next.access_token), { active: false });
    assert.equal(fetched.filter((path) => path === '/client.json').length, 1, 'kept for a while');
  });

  it('are named on the page with the whole address of their document', async () => {
    const client = await clientAt('/client.json');
    const browser = server.browserOf(person);
    const page = await browser.follow(await browser.get((await client.ask()).url));
    assert.ok(page.text.includes('Described client'));
    assert.ok(page.text.includes(`https://<strong>${new URL(origin).host}</strong>/client.json`), page.text);
    assert.match(page.text, /program on this computer/);
  });

  const faults: readonly (readonly [string, string, ((at: string) => unknown) | undefined])[] = [
    ['/missing.json', 'there is none', undefined],
    ['/elsewhere.json', 'it is somewhere else', undefined],
    [
      '/other.json',
      'it is somebody else’s',
      (at) => ({ client_id: `${at}/client.json`, redirect_uris: ['https://a.example/'] }),
    ],
    ['/list.json', 'it is no object', () => []],
    ['/long.json', 'it is too long', (at) => ({ client_id: `${at}/long.json`, client_name: 'x'.repeat(6000) })],
    [
      '/secret.json',
      'it has a secret',
      (at) => ({ client_id: `${at}/secret.json`, client_secret: 'x', redirect_uris: ['https://a.example/'] }),
    ],
    [
      '/script.json',
      'an address is a script',
      (at) => ({ client_id: `${at}/script.json`, redirect_uris: ['javascript:alert(1)'] }),
    ],
  ];
  for (const [path, why, document] of faults) {
    it(`are refused, on a page and without going anywhere, when of the document ${why}`, async () => {
      if (document !== undefined) documents.set(path, document);
      const { url } = await (await clientAt(path)).ask();
      const answer = await server.browserOf(person).get(url);
      assert.equal(answer.location, '');
      assert.equal(answer.status, 400);
      assert.match(answer.text, /could not be connected/);
    });
  }

  it('cannot make the service call an address outside the open internet', async () => {
    const guarded = makeDocumentFetcher();
    const before = fetched.length;
    const port = new URL(origin).port;
    const targets = [
      `${origin}/client.json`,
      `https://127.0.0.1:${port}/client.json`,
      `https://[::1]:${port}/client.json`,
      `https://[::ffff:127.0.0.1]:${port}/client.json`,
      `https://0x7f.1:${port}/client.json`,
      `https://2130706433:${port}/client.json`,
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/',
      'http://example.com/',
    ];
    for (const target of targets) await assert.rejects(guarded(target), Error, target);
    assert.equal(fetched.length, before);
  });

  it('know the open internet from everything else', () => {
    const open = ['1.1.1.1', '93.184.216.34', '172.32.0.1', '192.167.1.1', '2606:4700::1111', '2a00:1450::1'];
    const closed = [
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
      'ff02::1',
      '2001:db8::1',
      '2002:a00:1::',
      '2001::1',
      'localhost',
      '',
    ];
    assert.deepEqual(
      open.filter((address) => !isPublicAddress(address)),
      [],
    );
    assert.deepEqual(closed.filter(isPublicAddress), []);
  });

  async function clientAt(path: string, redirectUri = 'http://localhost:4711/callback') {
    const id = `${origin}${path}`;
    const authority = await discover(server.url);
    return new OAuthClient(authority, { client_id: id }, oauth.None(), redirectUri, `${server.url}/mcp`);
  }
});
