import assert from 'node:assert/strict';
import { routes } from '../../lib/console/console-routes.js';
import { fromOurPage, openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';
import { RawConnection } from '../support/http/raw-connection.js';
import { until } from '../support/until.js';

const start = '/console/api/workspaces/acme';

describe('the limits of the console', () => {
  let test: TestConsole;
  let ada: ConsoleClient;
  let open: RawConnection[];

  before(async () => {
    test = await openConsole({ workLimits: { requests: { perSource: 3, inAll: 100 } } });
    ada = await test.person('Ada', 'approver');
    await ada.post('/documents', { location: 'a.md', content: 'text' });
  });
  beforeEach(() => {
    open = [];
  });
  afterEach(() => {
    for (const connection of open) connection.end();
  });
  after(() => test.close());

  it('count the requests of a person under way, in all sessions, and not those of the person’s keys', async () => {
    const elsewhere = await test.signInAs(ada.principalId, `${ada.principalId}@example.org`);
    const key = await test.host.key(ada.principalId, ['rest']);
    const { requests } = test.host.service.workLimits;
    const isFull = (): boolean => {
      const release = requests.tryTake(`acme/console ${ada.principalId}`, 1);
      release?.();
      return release === undefined;
    };
    for (let held = 0; held < 3; held += 1) await begin(`PUT ${start}/documents/a.md`, 10, '{');
    await until('all of them are counted', isFull);
    const refused = await elsewhere.get('/documents/a.md');
    assert.deepEqual([refused.refusal, refused.headers['retry-after']], ['RATE_LIMITED', '1']);
    assert.equal((await test.server.as(key).get('/v1/documents/a.md')).status, 200);
    const rosa = await test.person('Rosa', 'reader');
    assert.equal((await rosa.get('/documents/a.md')).status, 200);
    for (const connection of open) connection.end();
    await until('there is room again', () => !isFull());
    assert.equal((await elsewhere.get('/documents/a.md')).status, 200);
  });

  for (const { method, path, carriesContent, takes } of routes) {
    if (!takes.includes('json') || carriesContent) continue;
    it(`refuse a body too large for ${method} ${path} before it is read`, async () => {
      const connection = await begin(`${method} ${start}${path.replace('{id}', 'none')}`, 64 * 1024 + 1, '');
      const { status, body } = await connection.read();
      const expected = { reason: 'body_too_large', limit: 64 * 1024 };
      assert.deepEqual([status, JSON.parse(body).error.details], [400, expected]);
    });
  }

  /** Sends the head of a request and the first byte of its body. */
  async function begin(line: string, length: number, first: string): Promise<RawConnection> {
    const connection = await RawConnection.open(test.server.rest.port);
    open.push(connection);
    const fixed = ['Host: x', `Cookie: ${ada.cookie}`, 'Content-Type: application/json', 'Idempotency-Key: k'];
    const ours = Object.entries(fromOurPage).map(([name, value]) => `${name}: ${String(value)}`);
    const head = [`${line} HTTP/1.1`, ...fixed, ...ours, 'If-Match: *', `Content-Length: ${length}`];
    connection.write(`${head.join('\r\n')}\r\n\r\n${first}`);
    return connection;
  }
});
