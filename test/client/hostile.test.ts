import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { Cartulary, CartularyError, ConnectionError, InvalidRequestError } from 'cartulary/client';
import { readDescription } from '../../lib/api/requests/description.js';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { operator } from '../support/store/service.js';
import type { Fault } from '../support/http/fault-proxy.js';
import { openClientTest, type ClientTest } from './support.js';

/** Locations that a fetch would walk along, or that mean another place than they say. */
const strayLocations = ['../x', 'a/../../x', '..', '.', './x', 'a/.', 'a/..', '', '/', '/x', 'x/', 'a//b', '\ud800'];

describe('The client with hostile names', () => {
  let test: ClientTest;

  before(async () => {
    test = await openClientTest();
  });
  beforeEach(() => test.proxy.reset());
  after(() => test.close());

  it('sends nothing for a location that would leave the documents', async () => {
    const { cartulary } = test.connect();
    for (const location of strayLocations) {
      const what = JSON.stringify(location);
      await assertUnsent(what, () => cartulary.read(location));
      await assertUnsent(what, () => cartulary.create(location, 'x'));
      await assertUnsent(what, () => cartulary.download(location));
    }
  });

  it('sends nothing for such a location or id in any operation of the description', async () => {
    const { cartulary } = test.connect();
    const request = cartulary.request.bind(cartulary) as (
      method: string,
      path: string,
      input: object,
    ) => Promise<unknown>;
    const { paths } = readDescription('openapi.yaml').document;
    let count = 0;
    for (const [path, methods] of Object.entries(paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      if (names.length === 0) continue;
      for (const method of Object.keys(methods).filter((each) => /^(?:get|put|post|patch|delete)$/.test(each))) {
        for (const value of [...strayLocations, undefined]) {
          count += 1;
          const values = Object.fromEntries(names.map((name) => [name, value]));
          await assertUnsent(`${method} ${path} ${value}`, () =>
            request(method.toUpperCase(), path, { path: values, body: {} }),
          );
        }
      }
    }
    assert.ok(count > 100);
    await assertUnsent('an id with a slash', () =>
      cartulary.request('GET', '/v1/connectors/{id}', { path: { id: 'con_a/runs' } }),
    );
  });

  it('sends nothing for a path that a program wrote itself and that leads elsewhere', async () => {
    const { cartulary } = test.connect();
    for (const path of ['/v1/../console/api/x', '/v1/%2e%2e/x', '/v1/x#y', '@example.org/v1/x']) {
      await assertUnsent(path, () => cartulary.request('GET', path as '/v1/health', {}));
    }
  });

  it('leaves no address that it was given', async () => {
    const below = test.connect({ baseUrl: `${test.proxy.url}/cartulary/` }).cartulary;
    test.proxy.plan(json({ status: 'ok' }));
    await below.request('GET', '/v1/health', {});
    assert.deepEqual(
      test.proxy.exchanges.map(({ path }) => path),
      ['/cartulary/v1/health'],
    );
    for (const tail of ['?x', '#x', '/a?b=']) {
      assert.throws(() => new Cartulary({ baseUrl: test.proxy.url + tail, key: 'k' }), CartularyError);
    }
  });

  it('sends every name that the service takes, as it is', async () => {
    await perform(test.server.host.workspace, operator, changePolicy, { portableNames: false });
    const { cartulary } = test.connect();
    for (const name of ['...', '..a', 'a..', '%2e%2e', "it's (1)!~*", 'a?b', 'a#b', 'ä 😀', '{id}', 'a;b=c', 'a^b|c']) {
      const location = `names/${name}/x.md`;
      await cartulary.create(location, name);
      assert.equal((await cartulary.read(location)).location, location);
      assert.equal(await (await cartulary.download(location)).text(), name);
    }
  });

  /** Asserts that it is refused without a request. */
  async function assertUnsent(what: string, call: () => Promise<unknown>): Promise<void> {
    const thrown: unknown = await call().catch((error: unknown) => error);
    assert.ok(thrown instanceof InvalidRequestError && thrown instanceof CartularyError, `${what}: ${String(thrown)}`);
    assert.equal(thrown.code, 'INVALID_REQUEST');
    assert.deepEqual(test.proxy.exchanges, [], what);
  }
});

describe('The client with a hostile service', () => {
  let test: ClientTest;

  before(async () => {
    test = await openClientTest();
  });
  beforeEach(() => test.proxy.reset());
  after(() => test.close());

  it('reads no more of an answer than it may, and asks for it once', async () => {
    const { cartulary, pace } = test.connect({ maxAnswer: 100_000 });
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    for (const status of [200, 503]) {
      test.proxy.plan({ what: 'answer', status, headers: { 'Content-Encoding': 'gzip' }, body: bomb });
      await assert.rejects(cartulary.read('a.md'), (error) => {
        assert.ok(error instanceof ConnectionError);
        assert.match(error.message, /longer than 100000 bytes/);
        return true;
      });
    }
    assert.equal(test.proxy.exchanges.length, 2);
    assert.deepEqual(pace.waits, []);
    test.proxy.plan(json({ status: 'ok', version: 'x'.repeat(90_000) }));
    await cartulary.request('GET', '/v1/health', {});
  });

  it('gives a stream whole, however long it is', async () => {
    const { cartulary } = test.connect({ maxAnswer: 1000 });
    await cartulary.create('long.bin', new Uint8Array(100_000));
    assert.equal((await (await cartulary.download('long.bin')).arrayBuffer()).byteLength, 100_000);
  });

  for (const length of [1, 2, 3, 7]) {
    it(`ends a list whose cursors go round in a circle of ${length}`, async () => {
      const { cartulary } = test.connect();
      for (let page = 0; page < 40; page += 1) {
        test.proxy.plan(json({ items: [], next_cursor: `cursor-${page < 3 ? page : 3 + ((page - 3) % length)}` }));
      }
      await assert.rejects(cartulary.folders('').toArray(), { name: 'ConnectionError', message: /repeats a cursor/ });
      assert.ok(test.proxy.exchanges.length < 40);
    });
  }

  it('ends a feed that neither goes on nor reaches the present', async () => {
    const { cartulary } = test.connect();
    const page = json({ items: [], next_cursor: 'same', is_current: false });
    test.proxy.plan(page, page, page, page);
    await assert.rejects(
      async () => {
        for await (const _ of cartulary.changes({ wait: false }));
      },
      { name: 'ConnectionError', message: /repeats a cursor/ },
    );
    assert.equal(test.proxy.exchanges.length, 2);
  });

  it('takes an answer of another shape for none of the service', async () => {
    const { cartulary } = test.connect();
    const shapes = [null, [], 'text', 7, {}, { items: {}, next_cursor: null }, { items: [], next_cursor: 3 }];
    for (const shape of shapes) {
      for (const call of [
        () => cartulary.folders('').toArray(),
        () => cartulary.read('a.md'),
        () => cartulary.create('a.md', 'x'),
        () => cartulary.changes({ wait: false }).next(),
      ]) {
        test.proxy.plan(json(shape));
        await assert.rejects(call, { name: 'ConnectionError' }, JSON.stringify(shape));
      }
    }
  });

  it('shows what a refusal says in one visible line', async () => {
    const { cartulary } = test.connect();
    const error = { code: 'CONFLICT', message: '\u001b[31mred\nline\u202e\u2028end\u0085', request_id: 'req\r\n1' };
    test.proxy.plan(json({ error: { ...error, details: 'x' } }, 409));
    await assert.rejects(cartulary.read('a.md'), {
      name: 'ApiError',
      message: '\\u001b[31mred\\u000aline\\u202e\\u2028end\\u0085 (CONFLICT, request req\\u000d\\u000a1)',
      requestId: 'req\\u000d\\u000a1',
      details: undefined,
    });
    test.proxy.plan(json({ error: { ...error, message: 'x'.repeat(100_000) } }, 409));
    await assert.rejects(cartulary.read('a.md'), (thrown) => thrown instanceof Error && thrown.message.length < 2100);
    for (const strange of [null, { code: 'CONFLICT' }, { ...error, message: {} }, { ...error, request_id: null }]) {
      test.proxy.plan(json({ error: strange }, 409));
      await assert.rejects(cartulary.read('a.md'), { name: 'ConnectionError' });
    }
  });
});

const json = (body: unknown, status = 200): Fault => ({
  what: 'answer',
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
