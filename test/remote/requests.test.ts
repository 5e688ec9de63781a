import assert from 'node:assert/strict';
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { parseKey } from '../../lib/access/secret.js';
import { revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';

const listing = Buffer.concat([
  encodePacket('command=ls-refs\n'),
  Buffer.from('0001'),
  encodePacket('symrefs\n'),
  flushPacket,
]);
const asked = { 'Content-Type': 'application/x-git-upload-pack-request', 'Git-Protocol': 'version=2' };
const mebibyte = 1024 * 1024;

describe('A request of a git client', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    await server.as(ada.key).create('a.md', 'text');
  });
  after(() => server.close());

  it('has the key as the password of any user, or as a bearer token', async () => {
    const get = (authorization: string): Promise<Answer> =>
      send('GET', '/git/acme/info/refs?service=git-upload-pack', { headers: { Authorization: authorization } });
    for (const form of [basic(ada.key), basic(ada.key, ''), basic(ada.key, 'x@example.org'), `Bearer ${ada.key}`]) {
      assert.equal((await get(form)).status, 200, form);
    }
    const swapped = `Basic ${Buffer.from(`${ada.key}:`).toString('base64')}`;
    const unusual = ['Basic', 'Basic !', swapped, `Basic ${ada.key}`, `Basic ${'A'.repeat(5000)}`, ada.key];
    for (const form of unusual) assert.equal((await get(form)).status, 401, form);
  });

  it('gets one and the same 401 without a valid key, whatever it asks for', async () => {
    const { host } = server;
    const revoked = await host.key(ada.id, ['git']);
    await perform(host.workspace, operator, revokeCredential, { credentialId: parseKey(revoked)?.credentialId ?? '' });
    const gone = await server.cloner('approver', '', 'Gone');
    await perform(host.workspace, operator, setPrincipalState, { principalId: gone.id, disabled: true });
    const keys = {
      missing: undefined,
      malformed: 'ck_acme_x',
      'of another workspace': ada.key.replace('ck_acme_', 'ck_other_'),
      'for REST': await host.key(ada.id, ['rest', 'mcp']),
      revoked,
      'of someone disabled': gone.key,
    };
    const seen = new Set<string>();
    for (const [kind, key] of Object.entries(keys)) {
      for (const path of ['acme/info/refs?service=git-upload-pack', 'acme/info/refs', 'none/HEAD', 'acme/x', '']) {
        const answer = await send('GET', `/git/${path}`, { key });
        assert.equal(answer.status, 401, kind);
        seen.add(withoutTime(answer));
      }
    }
    assert.equal(seen.size, 1);
    assert.match([...seen].join(''), /Basic realm=\\"Cartulary\\"/);
    assert.match([...seen].join(''), /A valid key for git is required/);
  });

  it('gets one and the same 404 in another workspace, in none, and without a reach', async () => {
    await server.addWorkspace();
    const nobody = await server.cloner(null);
    const answers = [
      await send('GET', '/git/other-1/info/refs?service=git-upload-pack', { key: ada.key }),
      await send('GET', '/git/none/info/refs?service=git-upload-pack', { key: ada.key }),
      await send('GET', `/git/${'x'.repeat(3000)}/info/refs?service=git-upload-pack`, { key: ada.key }),
      await send('GET', '/git/%00/info/refs?service=git-upload-pack', { key: ada.key }),
      await send('GET', '/git/acme/info/refs?service=git-upload-pack', { key: nobody.key }),
      await send('POST', '/git/none/git-upload-pack', { key: ada.key, headers: asked, body: listing }),
      await send('POST', '/git/acme/git-upload-pack', { key: nobody.key, headers: asked, body: listing }),
    ];
    for (const { status } of answers) assert.equal(status, 404);
    assert.equal(new Set(answers.map(withoutTime)).size, 1);
    const recorded = server.records().slice(-answers.length);
    for (const [index, { record }] of recorded.entries()) {
      // The last two are refused before their bodies are read, so nobody knows what they are.
      const action = index < answers.length - 2 ? 'repository.list_refs' : 'repository.fetch';
      assert.deepEqual([record.action, record.outcome, record.code], [action, 'refused', 'NOT_FOUND']);
      assert.equal(record.interface, 'git');
    }
  });

  it('has one method for each path, and 405 says which', async () => {
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await send(method, '/git/acme/info/refs?service=git-upload-pack', { key: ada.key });
      assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET'], method);
    }
    const got = await send('GET', '/git/acme/git-upload-pack', { key: ada.key });
    assert.deepEqual([got.status, got.headers.allow], [405, 'POST']);
  });

  it('may be packed, in chunks, and wait to be asked for', async () => {
    const plain = await post(listing);
    assert.equal(plain.status, 200);
    assert.match(plain.text, /refs\/heads\/main/);
    assert.equal((await post(gzipSync(listing), { 'Content-Encoding': 'gzip' })).text, plain.text);
    assert.equal((await post(gzipSync(listing), { 'Content-Encoding': 'x-gzip' })).text, plain.text);
    assert.equal((await post(listing, { 'Transfer-Encoding': 'chunked' })).text, plain.text);
    const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Encoding': 'gzip' };
    assert.equal((await post(gzipSync(listing), chunked)).text, plain.text);
    const connection = await RawConnection.open(server.rest.port);
    const lines = Object.entries({ ...asked, Authorization: `Bearer ${ada.key}` }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    connection.write(
      `POST /git/acme/git-upload-pack HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${listing.length}\r\n${lines.join('\r\n')}\r\n\r\n`,
    );
    assert.equal((await connection.read()).status, 100);
    connection.write(listing);
    assert.equal((await connection.read()).status, 200);
    connection.end();
  });

  it('is refused when its body is of another kind, damaged, or too large in any of its forms', async () => {
    const other = await post(listing, { 'Content-Type': 'text/plain' });
    assert.equal(other.status, 415);
    const coded = await post(listing, { 'Content-Encoding': 'br' });
    assert.deepEqual([coded.status, coded.text], [415, 'A body is read as it is, or in gzip.\n']);
    const damaged = await post(listing, { 'Content-Encoding': 'gzip' });
    assert.deepEqual([damaged.status, damaged.text], [400, 'The body is not whole, or not in gzip.\n']);
    assert.equal((await post(gzipSync(listing).subarray(0, 20), { 'Content-Encoding': 'gzip' })).status, 400);
    // A small body that stands for a large one is unpacked no further than the bound.
    const bomb = await post(gzipSync(Buffer.alloc(24 * mebibyte)), { 'Content-Encoding': 'gzip' });
    assert.deepEqual([bomb.status, bomb.text], [413, `A request has at most ${10 * mebibyte} bytes.\n`]);
    const stated = await RawConnection.open(server.rest.port);
    stated.write(
      `POST /git/acme/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Type: ${asked['Content-Type']}\r\nAuthorization: Bearer ${ada.key}\r\nContent-Length: ${11 * mebibyte}\r\n\r\n`,
    );
    assert.equal((await stated.read()).status, 413);
    stated.end();
    const { record } = server.records().at(-1) ?? assert.fail();
    assert.deepEqual([record.action, record.outcome, record.code], ['repository.fetch', 'refused', 'INVALID_REQUEST']);
  });

  it('in no protocol of git is refused with a sentence', async () => {
    for (const body of [Buffer.alloc(0), Buffer.from('hello'), Buffer.from('zzzz'), encodePacket('command=none\n')]) {
      const answer = await post(body);
      assert.equal(answer.status, 400);
      assert.match(answer.text, /^This request is not understood: it is not of the form that git gives it\.\n$/);
    }
  });

  it('names a version of the protocol, and nothing else of its header is passed on', async () => {
    const first = async (protocol: string): Promise<string> => {
      const headers = { 'Git-Protocol': protocol };
      const path = '/git/acme/info/refs?service=git-upload-pack';
      return (await send('GET', path, { key: ada.key, headers })).text.slice(0, 90).replaceAll('\n', ' ');
    };
    assert.match(await first('version=2'), /^000eversion 2/);
    assert.match(await first('foo:version=2:bar=1'), /^000eversion 2/);
    assert.match(await first('version=1'), /^001e# service=git-upload-pack 0000000eversion 1/);
    for (const strange of ['version=3', 'version=22', 'x', `version=2${':x'.repeat(200)}`]) {
      assert.match(await first(strange), /^001e# service=git-upload-pack 0000[0-9a-f]{4}[0-9a-f]{40} HEAD/, strange);
    }
  });

  it('leaves one line in the log, without names', async () => {
    await send('GET', '/git/acme/info/refs?service=git-upload-pack&x=secret', { key: ada.key });
    await send('GET', '/git/acme/some/secret', { key: ada.key });
    const lines = await until('both are logged', () => {
      const last = server.log.filter(({ message }) => message === 'request').slice(-2);
      return last.at(-1)?.fields['status'] === 403 && last;
    });
    assert.deepEqual(
      lines.map(({ fields }) => fields['route']),
      ['/git/{workspace}/info/refs', null],
    );
    assert.ok(lines.every(({ fields }) => fields['credential'] === parseKey(ada.key)?.credentialId));
    assert.ok(!JSON.stringify(lines).includes('secret'));
  });

  it('is answered with the headers that protect every answer', async () => {
    for (const path of ['/git/acme/info/refs?service=git-upload-pack', '/git/none/HEAD']) {
      const { headers } = await send('GET', path, { key: ada.key });
      assert.equal(headers['cache-control'], 'private, no-store');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.match(String(headers['x-request-id']), /^req_/);
      assert.equal(headers['content-encoding'], undefined);
    }
  });

  it('counts towards the rate of its key, and a refused key is recorded', async () => {
    const limited = await openRemoteServer({ requestsPerMinute: 3 });
    try {
      const bob = await limited.cloner('approver');
      const get = (key: string): Promise<Response> =>
        fetch(`${limited.url()}/info/refs?service=git-upload-pack`, { headers: { Authorization: basic(key) } });
      const statuses: number[] = [];
      while (statuses.at(-1) !== 429 && statuses.length < 50) statuses.push((await get(bob.key)).status);
      const last = await get(bob.key);
      assert.equal(last.status, 429);
      assert.match(String(last.headers.get('retry-after')), /^\d+$/);
      const rest = await limited.host.key(bob.id, ['rest']);
      assert.equal((await get(rest)).status, 401);
      // Minutes are counted when they are over.
      limited.host.clock.advance(60_000);
      await limited.rest.later.flush();
      const refused = limited
        .records()
        .filter(({ record }) => record.outcome === 'refused' && record.interface === 'git');
      const reasons = refused.map(({ text }) => String(text?.detail));
      assert.ok(
        reasons.some((detail) => detail.includes('wrong_interface')),
        reasons.join(),
      );
      assert.ok(
        reasons.some((detail) => detail.includes('over_limit')),
        reasons.join(),
      );
    } finally {
      await limited.close();
    }
  });

  it('without any key is no attempt: git asks so first', async () => {
    for (let count = 0; count < 310; count += 1) {
      const { status } = await fetch(`${server.url()}/info/refs?service=git-upload-pack`);
      assert.equal(status, 401);
    }
  });

  const basic = (key: string, user = 'anyone'): string => `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;

  const post = (body: Buffer, headers: OutgoingHttpHeaders = {}): Promise<Answer> =>
    send('POST', '/git/acme/git-upload-pack', { key: ada.key, headers: { ...asked, ...headers }, body });

  function send(
    method: string,
    path: string,
    { key, headers = {}, body }: { key?: string | undefined; headers?: OutgoingHttpHeaders; body?: Buffer } = {},
  ): Promise<Answer> {
    const authorization = key === undefined ? {} : { Authorization: basic(key) };
    return new Promise((resolve, reject) => {
      const { port } = server.rest;
      const sent = request(
        { host: '127.0.0.1', port, method, path, headers: { ...authorization, ...headers }, agent: false },
        (response) => {
          let text = '';
          response.setEncoding('latin1').on('data', (piece: string) => (text += piece));
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** The answer without what differs each time. */
  function withoutTime({ status, headers, text }: Answer): string {
    const { 'x-request-id': _, date: __, ...others } = headers;
    return JSON.stringify([status, others, text]);
  }
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
