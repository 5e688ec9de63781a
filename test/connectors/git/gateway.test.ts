import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { GitGateway } from '../../../lib/connectors/git/gateway.js';
import { usualLimits } from '../../../lib/connectors/git/git-limits.js';
import { HttpUpstream } from '../../../lib/connectors/git/http-upstream.js';
import { certificate, key } from '../../support/connectors/certificates.js';
import { gather } from '../../support/git/fixture.js';
import { GitServer } from '../../support/git/git-server.js';
import { GitBench } from './open-repository.js';

const clock = { now: () => Date.now(), elapsed: () => performance.now() };
const randomness = { bytes: (count: number) => randomBytes(count) };

describe('the only address that git may talk to', () => {
  const bench = new GitBench();
  let gateway: GitGateway;

  beforeEach(async () => {
    await bench.open({ credentials: { username: 'ada', password: 'secret' } });
    await bench.upstream().commit({ 'a.md': 'a' });
    const means = { allowance: { hosts: [bench.server.host] }, clock };
    const authorization = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
    const upstream = new HttpUpstream(new URL(bench.server.url('notes.git')), authorization, means);
    gateway = await GitGateway.open(upstream, randomness);
    gateway.begin(usualLimits);
  });
  afterEach(async () => {
    await gateway.close();
    await bench.close();
  });

  const lawful = '/repository/info/refs?service=git-upload-pack';

  it('serves a fetch of the one repository to holders of its token, and shows no credentials', async () => {
    const [status, body] = await ask('GET', lawful, gateway.header);
    assert.equal(status, 200);
    assert.match(body, /^001e# service=git-upload-pack\n/);
    assert.equal(gateway.fault, undefined);
  });

  it('speaks TLS itself, and believes only certificates of authorities that it knows', async () => {
    const server = await GitServer.open(bench.at('.'), { tls: { key, cert: certificate } });
    const url = new URL(`https://files.test:${server.port}/notes.git`);
    const outcomes: unknown[] = [];
    for (const authorities of [[certificate], undefined]) {
      const known = authorities === undefined ? {} : { authorities };
      const resolve = () => Promise.resolve(['127.0.0.1']);
      const means = { allowance: { hosts: [url.host] }, clock, resolve, ...known };
      const secured = await GitGateway.open(new HttpUpstream(url, undefined, means), randomness);
      secured.begin(usualLimits);
      outcomes.push((await ask('GET', lawful, secured.header, secured.url))[0], secured.fault?.fault);
      await secured.close();
    }
    await server.close();
    assert.deepEqual(outcomes, [200, undefined, 502, 'network']);
  });

  it('refuses every other program of this machine', async () => {
    const other = gateway.header.replace(/[0-9a-f]$/, (last) => (last === '0' ? '1' : '0'));
    for (const header of [undefined, other, 'cartulary-gateway: x', 'authorization: Basic YWRhOnNlY3JldA=='])
      assert.deepEqual(await ask('GET', lawful, header), [403, '']);
    assert.equal(bench.server.requests.length, 0);
  });

  it('refuses everything but the two requests of a fetch', async () => {
    for (const [method, path] of [
      ['GET', '/repository/HEAD'],
      ['GET', '/repository/info/refs'],
      ['GET', '/repository/info/refs?service=git-receive-pack'],
      ['GET', `${lawful}&more=1`],
      ['POST', '/repository/git-receive-pack'],
      ['GET', '/repository/../other.git/info/refs?service=git-upload-pack'],
      ['GET', `http://127.0.0.1:${bench.server.port}/notes.git/info/refs?service=git-upload-pack`],
      ['DELETE', lawful],
      ['GET', '/'],
    ] as const)
      assert.deepEqual(await ask(method, path, gateway.header), [403, ''], `${method} ${path}`);
    assert.equal(bench.server.requests.length, 0);
  });

  it('is no proxy, and gone after the run', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write(`CONNECT ${bench.server.host} HTTP/1.1\r\n${gateway.header}\r\n\r\n`);
    assert.doesNotMatch((await gather(socket)).toString(), /^HTTP\/1\.1 2/);
    await gateway.close();
    await assert.rejects(ask('GET', lawful, gateway.header), /ECONNREFUSED/);
    assert.equal(bench.server.requests.length, 0);
  });

  /** The status of an answer, and its body. */
  function ask(
    method: string,
    path: string,
    header: string | undefined,
    at = gateway.url,
  ): Promise<[number | undefined, string]> {
    const [name = '', value = ''] = header?.split(': ') ?? [];
    const headers = header === undefined ? {} : { [name]: value };
    const { hostname, port } = new URL(at);
    return new Promise((resolve, reject) => {
      const asked = request({ method, hostname, port, path, headers }, (response) => {
        gather(response).then((body) => resolve([response.statusCode, body.toString()]), reject);
      });
      asked.on('error', reject);
      asked.end();
    });
  }
});
