import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { Agent, request as openRequest, type OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { until } from '../support/until.js';
import { WorkTree } from '../support/git/work-tree.js';

const contentType = 'application/x-git-receive-pack-request';

/** Bytes that the git of one push may take, by the usual policy. */
const gitMemory = 448 * 1024 * 1024;

describe('A hostile or broken push', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;
  let bob: RemotePerson;
  let tree: WorkTree;
  let base: string;
  let whole: Buffer;

  before(async () => {
    server = await openRemoteServer({
      workLimits: {
        pushes: { perSource: 1, inAll: 2, waiting: 0, timeout: 0 },
        // For one push, and some bytes.
        pushMemory: { perSource: gitMemory + 1, inAll: gitMemory + 1, waiting: 0, timeout: 0 },
      },
    });
    ada = await server.cloner('approver');
    bob = await server.cloner('editor', 'handbook');
    await server.as(ada.key).create('handbook/a.md', 'first');
    tree = await WorkTree.clone(server.folder, bob.url, 'tree');
    base = await tree.head();
    await tree.commit({ 'handbook/pushed.md': 'pushed' });
    whole = await tree.makePush(base);
  });
  after(() => server.close());
  afterEach(async () => {
    assert.equal((await server.as(ada.key).get('/v1/documents/handbook/pushed.md')).status, 404, 'nothing was written');
    await until('nothing of the push is left', async () => (await leftovers()).length === 0);
  });

  it('is refused where its commands are no packets, have wrong lengths, or do not end', async () => {
    assert.match(await post(Buffer.from('hello')), /^400 /);
    assert.match(await post(Buffer.from('ffffx')), /^400 /);
    assert.match(await post(Buffer.from('00')), /^400 /);
    assert.match(await post(whole.subarray(0, 50)), /^400 /);
    assert.match(await post(Buffer.alloc(0)), /^400 .*ends within/);
  });

  it('is refused at the 101st of 100,000 commands', async () => {
    assert.match(await post(Buffer.concat([commands(1000), flushPacket])), /^400 .*at most 100 refs/);
    assert.match(await post(Buffer.concat([commands(100_000), flushPacket])).catch(String), /^400 |fetch failed/);
  });

  it('only tries whether it may push, with an empty request', async () => {
    assert.equal(await post(flushPacket), '200 ');
    const { key } = await server.cloner(null);
    const nowhere = { authorization: `Bearer ${key}` };
    assert.match(await post(flushPacket, nowhere), /^404 /);
    assert.equal(await post(flushPacket, nowhere), await post(whole, nowhere));
  });

  it('is refused where its pack is garbage, or missing', async () => {
    const head = whole.subarray(0, whole.indexOf('0000PACK') + 4);
    for (const pack of ['', 'garbage', 'PACK', 'PACK\0\0\0\x02\0\0\0\x05xxxx']) {
      const answer = await post(Buffer.concat([head, Buffer.from(pack)]));
      assert.match(answer, /^200 .*unpack the pack of the push is damaged or ends too early/s);
      assert.match(answer, /ng refs\/heads\/main/);
    }
    assert.match(await post(whole.subarray(0, whole.length - 25)), /damaged or ends too early/);
  });

  it('is refused where it pushes an object that was never sent', async () => {
    const empty = await tree.makePush(await tree.head());
    const head = encodePacket(`${base} ${'b'.repeat(40)} refs/heads/main\0 report-status`);
    const pack = empty.subarray(empty.indexOf('PACK'));
    assert.match(await post(Buffer.concat([head, flushPacket, pack])), /ng refs\/heads\/main/);
  });

  it('is refused in gzip where it unpacks to more than a push may have, without being held in memory', async () => {
    const bomb = gzipSync(Buffer.concat([flushPacket, Buffer.alloc(64 * 1024 * 1024)]));
    // After the commands of a try, nothing is read any more.
    assert.match(await post(bomb, { 'content-encoding': 'gzip' }), /^200 /);
    const packets = gzipSync(Buffer.alloc(64 * 1024 * 1024, '0'));
    assert.match(await post(packets, { 'content-encoding': 'gzip' }), /^(?:200|400) /);
    assert.match(await post(gzipSync(whole).subarray(0, 100), { 'content-encoding': 'gzip' }), /^(?:400|200 .*ng)/s);
    assert.match(await post(whole, { 'content-encoding': 'br' }), /^(?:415|400) /);
  });

  it('whose rest is not wanted leaves its connection to the next request', async () => {
    const rest = Buffer.concat([flushPacket, randomBytes(400_000)]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (body: Buffer, headers: OutgoingHttpHeaders): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = openRequest({
          agent,
          port: server.rest.port,
          path: '/git/acme/git-receive-pack',
          method: 'POST',
          headers: { authorization: `Bearer ${bob.key}`, 'content-type': contentType, ...headers },
        });
        request.on('error', reject).on('response', (response) => {
          response.resume().on('end', () => resolve(`${response.statusCode} ${request.reusedSocket}`));
        });
        request.end(body);
      });
    assert.equal(await send(rest, { 'content-length': rest.length }), '200 false');
    const packed = gzipSync(rest, { level: 0 });
    assert.equal(await send(packed, { 'content-encoding': 'gzip', 'content-length': packed.length }), '200 true');
    const refused = Buffer.concat([Buffer.from('ffffx'), rest]);
    assert.equal(await send(refused, { 'content-length': refused.length }), '400 true');
    assert.equal(await send(flushPacket, { 'content-length': flushPacket.length }), '200 true');
    agent.destroy();
  });

  it('that goes away in the middle leaves nothing behind', async () => {
    const request = openRequest({
      port: server.rest.port,
      path: '/git/acme/git-receive-pack',
      method: 'POST',
      headers: { authorization: `Bearer ${bob.key}`, 'content-type': contentType, 'content-length': whole.length },
    });
    request.on('error', () => undefined);
    request.write(whole.subarray(0, whole.length - 30));
    await until('the push is under way', async () => (await leftovers()).length === 1);
    request.destroy();
  });

  it('finds no room beside as many others as there may be, and is told to wait', async () => {
    const { pushes } = server.host.workspace.workLimits;
    const releases = [pushes.takeNow('others/1'), pushes.takeNow('others/2')];
    assert.match(await post(whole), /^503 /);
    for (const release of releases) release();
  });

  it('finds no memory beside others whose gits may take all of it, and is told to wait', async () => {
    const { pushMemory } = server.host.workspace.workLimits;
    const release = pushMemory.takeNow('others', gitMemory);
    assert.match(await post(whole), /^503 .*too much under way.*again in 2 seconds/s);
    release();
    const others = pushMemory.takeNow('others', 1);
    assert.match(await post(whole.subarray(0, whole.length - 25)), /^200 .*damaged or ends too early/s);
    others();
    assert.equal(pushMemory.use.used, 0, 'what ended takes none');
  });

  it('of somebody without a key or a reach is answered before any of its body has come', async () => {
    const { key } = await server.cloner(null, '', 'early');
    const early = (authorization: string, headers: OutgoingHttpHeaders): Promise<string> =>
      new Promise((resolve, reject) => {
        let isInvited = false;
        const request = openRequest({
          port: server.rest.port,
          path: '/git/acme/git-receive-pack',
          method: 'POST',
          headers: { authorization, 'content-type': contentType, 'content-length': 1_000_000_000, ...headers },
        });
        request.on('continue', () => (isInvited = true));
        request.on('error', reject).on('response', (response) => {
          resolve(`${response.statusCode} ${response.headers.connection} ${isInvited}`);
          response.resume();
          request.destroy();
        });
        request.flushHeaders();
      });
    for (const headers of [{}, { expect: '100-continue' }]) {
      assert.equal(await early(`Bearer ${key}`, headers), '404 close false');
      assert.equal(await early('Bearer none', headers), '401 close false');
    }
  });

  it('of somebody without a key, or with the key of nobody, is not read', async () => {
    assert.match(await post(whole, { authorization: '' }), /^401 /);
    assert.match(await post(whole, { authorization: 'Bearer none' }), /^401 /);
  });

  const commands = (count: number): Buffer =>
    Buffer.concat(
      Array.from({ length: count }, (_, index) =>
        encodePacket(`${base} ${'b'.repeat(40)} refs/heads/${index}${index === 0 ? '\0 report-status' : ''}`),
      ),
    );

  async function leftovers(): Promise<string[]> {
    const folder = join(server.host.dataFolder ?? '', 'acme', 'derived', '.pushes');
    return readdir(folder).catch(() => []);
  }

  async function post(body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await fetch(`${server.url()}/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bob.key}`, 'content-type': contentType, ...headers },
      body: new Uint8Array(body),
    });
    return `${response.status} ${await response.text()}`;
  }
});
