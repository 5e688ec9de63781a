import assert from 'node:assert/strict';
import { RawConnection, type RawAnswer } from '../support/http/raw-connection.js';
import { openMcpServer, type McpTestServer } from '../support/http/open-mcp.js';

describe('A request line of another version of HTTP', () => {
  let server: McpTestServer;

  before(async () => (server = await openMcpServer()));
  after(() => server.close());

  for (const path of ['/v1/health', '/mcp', '/v1/documents/a.md', '*']) {
    it(`is refused with 505 and the end of the connection: ${path}`, async () => {
      const lines = [`GET ${path} HTTP/2.0`, `GET ${path} HTTP/0.9`, `POST ${path} HTTP/2.0`, `PUT ${path} HTTP/0.9`];
      for (const line of lines) {
        const { status, head, body } = await answerTo(`${line}\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`);
        assert.equal(status, 505, line);
        assert.match(head, /^connection: close$/im);
        assert.equal(JSON.parse(body).error.code, 'INVALID_REQUEST');
      }
    });
  }

  it('is refused so where it has no version at all, and hides no second request behind it', async () => {
    for (const line of ['GET /v1/health', 'GET /v1/health ']) {
      const { status, head } = await answerTo(`${line}\r\n\r\nGET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n`);
      assert.ok(status === 505 || status === 400, `${line}: ${status}`);
      assert.match(head, /^connection: close$/im);
    }
    const { status } = await answerTo(
      'GET /v1/health HTTP/2.0\r\nHost: x\r\n\r\nGET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    assert.equal(status, 505);
  });

  it('is refused where no version of HTTP is like it', async () => {
    for (const version of ['HTTP/3.0', 'HTTP/1.2', 'HTTP/01.1', 'HTTP/1.10', 'HTTPS/1.1', 'http/1.1']) {
      const { status, head } = await answerTo(`GET /v1/health ${version}\r\nHost: x\r\n\r\n`);
      assert.ok(status === 505 || status === 400, `${version}: ${status}`);
      assert.match(head, /^connection: close$/im);
    }
    assert.equal((await answerTo('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status, 400);
  });

  it('is answered in 1.0 and in 1.1', async () => {
    for (const version of ['HTTP/1.0', 'HTTP/1.1']) {
      const connection = await RawConnection.open(server.rest.port);
      connection.write(`GET /v1/health ${version}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.equal((await connection.read()).status, 200, version);
      connection.end();
    }
  });

  /** The one answer to these bytes, on a connection that ends after it. */
  async function answerTo(text: string): Promise<RawAnswer> {
    const connection = await RawConnection.open(server.rest.port);
    connection.write(text);
    const answer = await connection.read();
    await connection.closed();
    assert.equal(connection.received, '', 'nothing comes after it');
    return answer;
  }
});
