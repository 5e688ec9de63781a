import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import {
  HttpClient,
  parseWebAddress,
  requirePrivacy,
  type HttpMeans,
  type HttpRequest,
} from '../../lib/egress/http-client.js';
import { assertFault } from '../support/connectors/assert-fault.js';
import { certificate, expiredCertificate, key } from '../support/connectors/certificates.js';
import { ScriptedServer, type Script } from '../support/connectors/scripted-server.js';
import { TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';

const opened: { close(): unknown }[] = [];
const never = new AbortController().signal;

describe('The HTTP client of the connectors', () => {
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
  });

  it('reads answers over one connection, and asks for no compression', async () => {
    const server = await serve((request, response) => response.end(request.url));
    const client = openClient(server.url());
    assert.equal(await read(client, get(server.url('/a'))), '/a');
    assert.equal(await read(client, get(server.url('/b'))), '/b');
    assert.equal(server.connections, 1);
    assert.equal(server.asked[0]?.headers['accept-encoding'], 'identity');
  });

  it('asks again when a server has closed the kept connection', async () => {
    const server = await serve((request, response) => {
      if (server.asked.length === 2) request.socket.destroy();
      else response.end('here');
    });
    const client = openClient(server.url());
    assert.equal(await read(client, get(server.url())), 'here');
    assert.equal(await read(client, get(server.url())), 'here');
    assert.equal(server.connections, 2);
  });

  it('sends no request to another origin than its own', async () => {
    const server = await serve((_, response) => response.end());
    const client = openClient(server.url());
    await assertFault(client.request(get(new URL('http://example.org/'))), 'denied_egress', /outside http:\/\/127/);
    assert.equal(server.asked.length, 0);
  });

  it('does not reach this machine without the operator', async () => {
    const server = await serve((_, response) => response.end());
    const client = openClient(server.url(), { allowance: { hosts: [] } });
    await assertFault(client.request(get(server.url())), 'denied_egress', /connector_hosts/);
    assert.equal(server.connections, 0);
  });

  it('follows no redirect to another origin, not even to one that may be reached', async () => {
    const inner = await serve((_, response) => response.end('secret'));
    const server = await serve((_, response) => response.writeHead(302, { location: inner.url('/').href }).end());
    const client = openClient(server.url(), { allowance: { hosts: [inner.host, server.host] } });
    const promise = client.request(get(server.url(), { mayFollow: () => true }));
    await assertFault(promise, 'denied_egress', /sends us to http:\/\/127\.0\.0\.1:\d+, /);
    assert.equal(inner.asked.length, 0);
  });

  it('follows redirects of the same origin where the caller agrees, and not for ever', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/there') response.end('arrived');
      else response.writeHead(301, { location: request.url === '/here' ? '/there' : '/loop' }).end();
    });
    const client = openClient(server.url());
    const mayFollow = ({ pathname }: URL): boolean => pathname !== '/closed';
    assert.equal(await read(client, get(server.url('/here'), { mayFollow })), 'arrived');
    await assertFault(client.request(get(server.url('/loop'), { mayFollow })), 'network', /redirects too many times/);
    assert.equal((await client.request(get(server.url('/here')))).status, 301);
    const closed = get(server.url('/here'), { mayFollow: () => false });
    await assertFault(client.request(closed), 'denied_egress', /where nobody asked us to go/);
  });

  it('ends an answer that is larger than it may be', async () => {
    const server = await serve(function flood(_, response) {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const client = openClient(server.url());
    await assertFault(read(client, get(server.url(), { maxBytes: 100_000 })), 'limit', /larger/);
  });

  it('unpacks nothing, so that a bomb stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    const server = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const client = openClient(server.url());
    await assertFault(client.request(get(server.url())), 'corrupt', /compresses/);
    const raw = await client.request(get(server.url(), { isRaw: true, maxBytes: 10_000 }));
    let bytes = 0;
    for await (const part of raw.body) bytes += part.length;
    assert.equal(bytes, bomb.length);
  });

  it('says so when the answer ends before its end', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    await assertFault(read(openClient(server.url()), get(server.url())), 'network', /broke the connection off/);
  });

  it('bounds the head of an answer', async () => {
    const server = await serve((_, response) => response.setHeader('x-much', 'x'.repeat(60_000)).end());
    await assertFault(openClient(server.url()).request(get(server.url())), 'network', /head of an answer/);
  });

  it('says so when something else than HTTP answers', async () => {
    const server = await serve((request) => void request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await assertFault(openClient(server.url()).request(get(server.url())), 'network', /something else than HTTP/);
  });

  it('waits so long for the head, for each piece and for the whole body, and not longer', async () => {
    const timeouts = { head: 60, idle: 60, body: 100_000 };
    const silent = await serve(() => undefined);
    const silentClient = openClient(silent.url(), { timeouts });
    await assertFault(silentClient.request(get(silent.url())), 'network', /does not answer in time/);
    const stalled = await serve((_, response) => void response.write('begun'));
    await assertFault(read(openClient(stalled.url(), { timeouts }), get(stalled.url())), 'network', /too slowly/);
    const clock = new TestClock();
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => {
        clock.advance(60_000);
        response.write('.');
      }, 2);
      response.on('close', () => clearInterval(timer));
    });
    const client = openClient(dripping.url(), { clock });
    await assertFault(read(client, get(dripping.url())), 'network', /too slowly/);
  });

  it('ends soon after it is aborted, before and after the head', async () => {
    const server = await serve((request, response) => void (request.url === '/begun' && response.write('begun')));
    const client = openClient(server.url());
    for (const path of ['/silent', '/begun']) {
      const abort = new AbortController();
      const reading = read(client, get(server.url(path), { signal: abort.signal }));
      await until('the server is asked', () => server.asked.some((asked) => asked.path === path));
      abort.abort(new Error('cancelled'));
      await assert.rejects(reading, /cancelled/);
    }
  });

  it('ends what it has begun when it is closed', async () => {
    const server = await serve(() => undefined);
    const resolving = openClient(server.url('/', 'slow.test'), { resolve: async () => new Promise(() => undefined) });
    const waiting = openClient(server.url());
    const requests = [
      assertFault(resolving.request(get(server.url('/', 'slow.test'))), 'network', /closed/),
      assertFault(waiting.request(get(server.url())), 'network', /./),
    ];
    await until('the server is asked', () => server.asked.length === 1);
    resolving.close();
    waiting.close();
    await Promise.all(requests);
  });

  it('refuses a secret that no header can carry, and does not repeat it', async () => {
    const server = await serve((_, response) => response.end());
    const request = get(server.url(), { headers: { authorization: 'Bearer hush\nhush' } });
    await assertFault(openClient(server.url()).request(request), 'auth', /^(?!.*hush).*characters/);
  });

  describe('over https', () => {
    it('takes a certificate of an authority that it knows, for the name that was asked', async () => {
      const server = await serve((_, response) => response.end('private'), certificate);
      const client = openClient(server.url('/', 'files.test'), { resolve, authorities: [certificate] });
      assert.equal(await read(client, get(server.url('/', 'files.test'))), 'private');
    });

    it('refuses an unknown authority, another name and an expired certificate', async () => {
      const server = await serve((_, response) => response.end('private'), certificate);
      const ask = async (host: string, more: Partial<HttpMeans>): Promise<unknown> =>
        openClient(server.url('/', host), { resolve, ...more }).request(get(server.url('/', host)));
      await assertFault(ask('files.test', {}), 'network', /NODE_EXTRA_CA_CERTS/);
      await assertFault(ask('other.test', { authorities: [certificate] }), 'network', /for another name/);
      await assertFault(ask('127.0.0.1', { authorities: [certificate] }), 'network', /for another name/);
      assert.equal(server.asked.length, 0);
      const old = await serve((_, response) => response.end('private'), expiredCertificate);
      const means = { resolve, authorities: [expiredCertificate] };
      const promise = openClient(old.url('/', 'files.test'), means).request(get(old.url('/', 'files.test')));
      await assertFault(promise, 'network', /expired/);
    });

    it('says so when the server does not speak TLS', async () => {
      const server = await serve((_, response) => response.end());
      const url = new URL(`https://127.0.0.1:${server.port}/`);
      await assertFault(openClient(url).request(get(url)), 'network', /something else|failed/);
    });

    const resolve = async (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
  });
});

describe('The address of a source', () => {
  it('begins with http and holds no user name or password', () => {
    assert.equal(parseWebAddress('https://Files.Example/dav/?x#y').href, 'https://files.example/dav/');
    assert.throws(() => parseWebAddress('https://me:hush@files.example/'), /^(?!.*hush).*no user name/);
    for (const text of ['', 'files.example', 'file:///etc/passwd', 'ftp://files.example/', 'javascript:1'])
      assert.throws(() => parseWebAddress(text), /begin with https/);
  });

  it('is https when a secret goes there, except where the operator allows the host', () => {
    requirePrivacy(new URL('https://files.example/'), { hosts: [] });
    requirePrivacy(new URL('http://files.intern/'), { hosts: ['files.intern:80'] });
    assert.throws(() => requirePrivacy(new URL('http://files.example/'), { hosts: [] }), /Use https/);
    assert.throws(() => requirePrivacy(new URL('http://files.intern:81/'), { hosts: ['files.intern:80'] }), /https/);
  });
});

const get = (url: URL, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  maxBytes: 1000,
  signal: never,
  ...more,
});

async function serve(script: Script, cert?: string): Promise<ScriptedServer> {
  const server = await ScriptedServer.open(script, cert === undefined ? {} : { tls: { key, cert } });
  opened.push(server);
  return server;
}

function openClient(root: URL, means: Partial<HttpMeans> = {}): HttpClient {
  const allowance = { hosts: [`${root.hostname}:${root.port}`] };
  const client = new HttpClient(root, { allowance, clock: new TestClock(), ...means });
  opened.push(client);
  return client;
}

async function read(client: HttpClient, request: HttpRequest): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of (await client.request(request)).body) parts.push(part);
  return Buffer.concat(parts).toString();
}
