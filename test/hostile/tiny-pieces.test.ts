import assert from 'node:assert/strict';
import { flushPacket } from '../../lib/git/serving/packets.js';
import { openRemoteServer, type RemoteTestServer } from '../support/http/open-remote.js';
import { RawConnection } from '../support/http/raw-connection.js';

const bytes = 50_000;

describe('A request in very many pieces of one byte', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;

  before(async () => (server = await openRemoteServer()));
  after(() => server.close());

  it('has its connection ended, whoever sends it', async () => {
    const { key } = await server.cloner('editor', 'pub', 'Pieces');
    for (const each of [key, 'none']) {
      await requireCut(head('/v1/documents', each, 'application/json') + chunks(bytes));
      await requireCut(
        head('/git/acme/git-receive-pack', each, 'application/x-git-receive-pack-request') + chunks(bytes),
      );
      await requireCut(
        head('/git/acme/git-upload-pack', each, 'application/x-git-upload-pack-request') + chunks(bytes),
      );
    }
  });

  it('is served where the pieces are few, or of some size', async () => {
    const { key } = await server.cloner('editor', 'pub', 'Honest');
    for (const pieces of [chunks(900), chunks(3000, 64)]) {
      const connection = await RawConnection.open(server.rest.port);
      connection.write(`${head('/v1/documents?location=pub/x.txt', key, 'text/plain')}${pieces}0\r\n\r\n`);
      const { status } = await connection.read();
      assert.ok(status < 500 && status !== 408, `${status}`);
      connection.end();
    }
  });

  it('is served where only its head comes so', async () => {
    const { key } = await server.cloner('reader', 'pub', 'Slow');
    const connection = await RawConnection.open(server.rest.port);
    const text = `GET /v1/health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nX-Long: ${'x'.repeat(3000)}\r\n\r\n`;
    for (const letter of text) {
      connection.write(letter);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await connection.read()).status, 200);
    connection.end();
  });

  it('is refused at once as a push of somebody without a reach: its body is not read', async () => {
    const { key } = await server.cloner(null, '', 'Nobody');
    const connection = await RawConnection.open(server.rest.port);
    connection.write(head('/git/acme/git-receive-pack', key, 'application/x-git-receive-pack-request'));
    assert.equal((await connection.read()).status, 404, 'answered before the body has come');
    connection.write(`4\r\n${flushPacket.toString()}\r\n0\r\n\r\n`);
    connection.end();
  });

  const chunks = (count: number, size = 1): string => `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`.repeat(count);

  const head = (target: string, key: string, type: string): string =>
    `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n` +
    'Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n';

  async function requireCut(text: string): Promise<void> {
    const connection = await RawConnection.open(server.rest.port);
    connection.write(text);
    await connection.closed();
  }
});

describe('A request with a header twice that it has once', () => {
  let server: RemoteTestServer;

  before(async () => (server = await openRemoteServer()));
  after(() => server.close());

  it('is refused with 400, and so is nothing else', async () => {
    const { key } = await server.cloner('reader', 'pub', 'Twice');
    const once = [
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Type: text/plain',
      'If-Match: "x"',
      'Accept: */*',
    ];
    for (const header of once) {
      const connection = await RawConnection.open(server.rest.port);
      const lines = [...once, header].join('\r\n');
      connection.write(`GET /v1/health HTTP/1.1\r\n${lines}\r\n\r\nGET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n`);
      const { status, body } = await connection.read();
      if (header.startsWith('Accept')) assert.notEqual(status, 400);
      else {
        assert.equal(status, 400, header);
        assert.match(body, /has each of the headers Host, Authorization, Content-Type and If-Match once/);
        await connection.closed();
        assert.equal(connection.received, '', 'the request behind it is not heard');
      }
      connection.end();
    }
  });
});
