import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { HttpClient, type HttpAnswer, type HttpMeans } from '../../lib/egress/http-client.js';
import type { StreamedBody } from '../../lib/egress/write-body.js';
import { assertFault } from '../support/connectors/assert-fault.js';
import { ScriptedServer, type Script } from '../support/connectors/scripted-server.js';
import { TestClock } from '../support/store/service.js';

const never = new AbortController().signal;

describe('a request whose body is sent while it is read', () => {
  let server: ScriptedServer;
  let client: HttpClient;

  afterEach(async () => {
    client.close();
    await server.close();
  });

  it('arrives whole, with its length announced', async () => {
    await serve((request, response) => {
      const hash = createHash('sha256');
      request.on('data', (piece: Buffer) => hash.update(piece)).on('end', () => response.end(hash.digest('hex')));
    });
    const piece = Buffer.alloc(100_000, 'piece');
    const expected = createHash('sha256').update(Buffer.concat(Array.from({ length: 40 }, () => piece)));
    assert.equal(await read(await put(bodyOf(piece, 40))), expected.digest('hex'));
    assert.equal(server.asked[0]?.headers['content-length'], '4000000');
    assert.equal(server.asked[0]?.headers['transfer-encoding'], undefined);
    assert.equal(await read(await put({ bytes: 0, open: () => bodyOf(piece, 0).open() })), hashOfNothing);
    assert.equal(server.connections, 1);
  });

  it('is not read on once the server has answered, and its connection is not used again', async () => {
    let isStopped = false;
    await serve((_, response) => response.writeHead(403).end('no'));
    const endless: StreamedBody = {
      bytes: 1_000_000_000,
      async *open() {
        try {
          for (;;) yield await Promise.resolve(Buffer.alloc(100_000));
        } finally {
          isStopped = true;
        }
      },
    };
    const answer = await put(endless);
    assert.deepEqual([answer.status, await read(answer)], [403, 'no']);
    assert.equal((await put(bodyOf(Buffer.from('x'), 1))).status, 403);
    assert.ok(isStopped);
    assert.equal(server.connections, 2);
  });

  it('fails with what its body fails with, or with another length than announced', async () => {
    await serve((request, response) => request.resume().on('end', () => response.end()));
    const failing: StreamedBody = {
      bytes: 10,
      async *open() {
        yield await Promise.resolve(Buffer.from('half'));
        throw new Error('the disk is broken');
      },
    };
    await assert.rejects(put(failing), /the disk is broken/);
    await assert.rejects(put({ ...bodyOf(Buffer.from('abc'), 2), bytes: 7 }), /has 6 bytes instead of 7/);
    await assert.rejects(put({ ...bodyOf(Buffer.from('abc'), 3), bytes: 7 }), /more than 9 bytes instead of 7/);
  });

  it('is read anew when a kept connection was closed, unless it may be sent once only', async () => {
    await serve((request, response) => {
      if (server.asked.length % 2 === 0) request.socket.destroy();
      else request.resume().on('end', () => response.end('here'));
    });
    let opened = 0;
    const counted = (isOnce: boolean): Promise<HttpAnswer> =>
      put(
        {
          bytes: 1,
          open: () => {
            opened += 1;
            return bodyOf(Buffer.from('x'), 1).open();
          },
        },
        isOnce,
      );
    assert.equal(await read(await counted(false)), 'here');
    assert.equal(await read(await counted(false)), 'here');
    assert.equal(opened, 3);
    await assertFault(counted(true), 'network', /broke the connection off/);
    assert.equal(opened, 4);
  });

  it('has as long as it needs while the server takes it, and no longer', async () => {
    await serve(
      (request, response) => {
        if (request.url === '/stuck') request.pause();
        else request.resume().on('end', () => response.end('taken'));
      },
      { timeouts: { head: 300, idle: 1000, body: 1000 } },
    );
    const slow: StreamedBody = {
      bytes: 6,
      async *open() {
        for (const letter of 'slowly') {
          await new Promise((resolve) => setTimeout(resolve, 60));
          yield Buffer.from(letter);
        }
      },
    };
    assert.equal(await read(await put(slow)), 'taken');
    const large = bodyOf(Buffer.alloc(1_000_000), 100);
    await assertFault(put(large, false, '/stuck'), 'network', /does not answer in time/);
  });

  async function serve(script: Script, change: Partial<HttpMeans> = {}): Promise<void> {
    server = await ScriptedServer.open(script);
    const means = { allowance: { hosts: [server.host] }, clock: new TestClock() };
    client = new HttpClient(server.url(), { ...means, ...change });
  }

  function put(body: StreamedBody, isOnce = false, path = '/'): Promise<HttpAnswer> {
    return client.request({ method: 'PUT', url: server.url(path), body, isOnce, maxBytes: 1000, signal: never });
  }
});

const hashOfNothing = createHash('sha256').digest('hex');

function bodyOf(piece: Buffer, count: number): StreamedBody {
  return {
    bytes: piece.length * count,
    async *open() {
      for (let sent = 0; sent < count; sent += 1) yield await Promise.resolve(piece);
    },
  };
}

async function read({ body }: HttpAnswer): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
