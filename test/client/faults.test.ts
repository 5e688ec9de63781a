import assert from 'node:assert/strict';
import { ApiError, Cartulary, ConnectionError, type Document } from 'cartulary/client';
import { perform } from '../../lib/operations/perform.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { FaultProxy, type Fault } from '../support/http/fault-proxy.js';
import { makeRandom } from '../support/faults/load.js';
import { openTestServer } from '../support/http/server.js';
import { operator, TestClock } from '../support/store/service.js';
import { openClientTest, type ClientTest } from './support.js';

describe('The client on a bad line', () => {
  let test: ClientTest;

  before(async () => {
    test = await openClientTest();
  });
  beforeEach(() => test.proxy.reset());
  after(() => test.close());

  for (const what of ['lost request', 'lost answer', 'cut answer'] as const) {
    it(`creates, updates and deletes once each, with a ${what} every time`, async () => {
      const { cartulary, pace } = test.connect();
      const location = `once/${what.replaceAll(' ', '-')}.md`;
      test.proxy.plan(what);
      const made = await cartulary.create(location, 'one');
      test.proxy.plan(what, what);
      const updated = await made.update('two', { message: 'Better' });
      assert.deepEqual([updated.record.version.message, updated.text], ['Better', 'two']);
      assert.equal((await versions(location)).length, 2);
      test.proxy.plan(what);
      assert.equal((await updated.delete()).deleted, true);
      assert.equal(pace.waits.length, 4);
      assert.equal(pace.keys.length, 3, 'a write keeps its key over all attempts');
    });

    it(`does any POST once with a ${what}`, async () => {
      const { cartulary } = test.connect();
      const location = `once/comments-${what.replaceAll(' ', '-')}.md`;
      await cartulary.create(location, 'text');
      test.proxy.plan(what);
      await cartulary.request('POST', '/v1/comments', { body: { location, text: 'Why?' } });
      assert.equal((await cartulary.list('/v1/comments', { location }).toArray()).length, 1);
    });

    it(`reads again after a ${what}`, async () => {
      const { cartulary } = test.connect();
      const { location } = await cartulary.create(`once/read-${what.replaceAll(' ', '-')}.md`, 'the text');
      test.proxy.plan(what, what, what, what);
      assert.equal((await cartulary.read(location)).text, 'the text');
    });
  }

  it('sends the same key and the same bytes with every attempt', async () => {
    const { cartulary } = test.connect();
    test.proxy.plan('lost answer', busy('1'), 'lost request');
    await cartulary.request('POST', '/v1/documents', {
      body: { location: 'same/a.md', content: 'x', labels: ['b', 'a'] },
    });
    const { exchanges } = test.proxy;
    assert.equal(exchanges.length, 4);
    assert.equal(new Set(exchanges.map(({ key, body }) => `${key} ${body.toString()}`)).size, 1);
    assert.match(exchanges[0]?.key ?? '', /./);
  });

  it('keeps the key that a caller gives, so that its own retry does nothing twice', async () => {
    const { cartulary } = test.connect({ retries: 0 });
    test.proxy.plan('lost answer');
    const create = (idempotencyKey?: string): Promise<Document> =>
      cartulary.create('same/own.md', 'x', { idempotencyKey });
    const error = await create().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ConnectionError);
    const made = await create(error.idempotencyKey);
    assert.equal((await versions(made.location)).length, 1);
  });

  it('waits as long as Retry-After says, in seconds or until a date', async () => {
    const { cartulary, pace } = test.connect();
    const date = new Date(pace.now() + 7000).toUTCString();
    test.proxy.plan(busy('3'), busy(date, 503));
    await cartulary.folders('').toArray();
    // The date is seven seconds after the beginning, so four after the first wait.
    assert.deepEqual(pace.waits, [3125, 4125]);
  });

  it('waits for a minute at most, and says how long the service asks for more', async () => {
    const { cartulary, pace } = test.connect();
    test.proxy.plan(busy('60'), busy('61'));
    const error = await cartulary
      .folders('')
      .toArray()
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.retryAfter], ['RATE_LIMITED', 61]);
    assert.deepEqual(pace.waits, [60_000]);
  });

  it('stands in line for the rate of its key, and counts that as no retry', async () => {
    const { cartulary, pace } = test.connect({ retries: 1 });
    test.proxy.plan(...Array.from({ length: 6 }, () => busy('2')), 'lost answer');
    await cartulary.create('rate/line.md', 'x');
    assert.equal(pace.waits.length, 7);
    assert.equal((await versions('rate/line.md')).length, 1);
    test.proxy.plan(...Array.from({ length: 20 }, () => busy('50')));
    const error = await test
      .connect()
      .cartulary.read('rate/line.md')
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'RATE_LIMITED', 'not for ever: five minutes at most');
    await test
      .connect({ retries: 0 })
      .cartulary.read('rate/line.md')
      .then(
        () => assert.fail('it was refused'),
        (refused: unknown) => assert.ok(refused instanceof ApiError && refused.code === 'RATE_LIMITED'),
      );
  });

  it('sends many at once as fast as the rate allows, and none is given up', async function () {
    this.timeout(60_000);
    const limited = await openTestServer({ clock: new PassingClock() });
    try {
      await perform(limited.host.workspace, operator, changePolicy, { requestsPerMinute: 600, burst: 10 });
      const { key } = await limited.host.person('approver', '', 'Ada');
      const cartulary = new Cartulary({ baseUrl: limited.rest.url, key });
      const names = Array.from({ length: 70 }, (_, index) => `bulk/${index}.md`);
      const made = await Promise.all(names.map((name) => cartulary.create(name, 'x')));
      assert.deepEqual(
        made.map(({ location }) => location),
        names,
      );
    } finally {
      await limited.close();
    }
  });

  it('sends no refused request again', async () => {
    const { cartulary, pace } = test.connect();
    await cartulary.create('refused/a.md', 'x');
    test.proxy.reset();
    const faults: Fault[] = [
      { what: 'answer', status: 500, body: '{"error":{"code":"INTERNAL","message":"Oh.","request_id":"r"}}' },
      { what: 'answer', status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
      { what: 'answer', status: 504, body: '' },
    ];
    for (const fault of faults) {
      test.proxy.plan(fault);
      // Whether it was done is not known, so the caller gets the key to ask again with.
      const idempotencyKey = `key-of-${fault.what === 'answer' ? fault.status : ''}`;
      await assert.rejects(cartulary.create('refused/b.md', 'x', { idempotencyKey }), { idempotencyKey });
    }
    await assert.rejects(cartulary.create('refused/a.md', 'x'), { code: 'CONFLICT', reason: 'name_taken' });
    await assert.rejects(cartulary.read('refused/none.md'), { code: 'NOT_FOUND', status: 404 });
    assert.equal(test.proxy.exchanges.length, 5);
    assert.deepEqual(pace.waits, []);
  });

  it('takes a page of a proxy for no answer of the service', async () => {
    const { cartulary } = test.connect();
    test.proxy.plan({
      what: 'answer',
      status: 200,
      headers: { 'Content-Type': 'text/html' },
      body: '<h1>Sign in</h1>',
    });
    await assert.rejects(cartulary.read('a.md'), { name: 'ConnectionError' });
    test.proxy.plan({ what: 'answer', status: 302, headers: { Location: 'http://127.0.0.1:9/' } });
    await assert.rejects(test.connect({ retries: 0 }).cartulary.read('a.md'), { name: 'ConnectionError' });
  });

  it('gives up after its attempts, with the reason', async () => {
    const { cartulary, pace } = test.connect({ retries: 2 });
    test.proxy.plan('lost request', 'lost request', 'lost request');
    await assert.rejects(cartulary.read('a.md'), (error: unknown) => {
      assert.ok(error instanceof ConnectionError);
      assert.match(error.message, /^GET http:\/\/127\.0\.0\.1:\d+\/v1\/documents\/a\.md got no answer: /);
      return true;
    });
    assert.deepEqual(pace.waits, [187.5, 375]);
  });

  it('sends a write without a key again only if it never left', async () => {
    const { cartulary, pace } = test.connect();
    const { location } = await cartulary.create('keyless/a.md', 'x');
    test.proxy.plan('lost answer');
    const label = (to: typeof cartulary): Promise<unknown> =>
      to.request('PUT', '/v1/labels', { query: { location }, body: { labels: ['done'] } });
    await assert.rejects(label(cartulary), { name: 'ConnectionError', idempotencyKey: undefined });
    assert.deepEqual(pace.waits, []);
    const closed = await FaultProxy.open(test.server.rest.url);
    await closed.close();
    const nowhere = test.connect({ baseUrl: closed.url, retries: 3 });
    await assert.rejects(label(nowhere.cartulary), { name: 'ConnectionError' });
    assert.equal(nowhere.pace.waits.length, 3);
  });

  it('sends a stream once, and names its key where the answer is lost', async () => {
    const { cartulary, pace } = test.connect();
    const stream = (): ReadableStream<Uint8Array<ArrayBuffer>> => new Blob([new Uint8Array(100_000).fill(7)]).stream();
    test.proxy.plan('lost answer');
    const error = await cartulary.create('streams/a.bin', stream()).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual(pace.waits, []);
    const made = await cartulary.create('streams/a.bin', stream(), { idempotencyKey: error.idempotencyKey });
    assert.equal(made.record.size, 100_000);
    assert.equal((await versions('streams/a.bin')).length, 1);
  });

  it('ends at once when it is aborted, in a wait and in a request', async () => {
    const { cartulary, pace } = test.connect();
    const reason = new Error('enough');
    const waiting = new AbortController();
    pace.onWait = () => waiting.abort(reason);
    test.proxy.plan(busy('5'));
    await assert.rejects(cartulary.read('a.md', { signal: waiting.signal }), reason);
    assert.equal(test.proxy.exchanges.length, 1);
    const asking = new AbortController();
    test.proxy.plan('silence');
    const asked = cartulary.read('a.md', { signal: asking.signal });
    setImmediate(() => asking.abort(reason));
    await assert.rejects(asked, reason);
    await assert.rejects(cartulary.read('a.md', { signal: AbortSignal.abort(reason) }), reason);
  });

  it('waits for an answer no longer than its timeout', async () => {
    const { cartulary } = test.connect({ timeout: 50, retries: 1 });
    test.proxy.plan('silence', 'silence');
    await assert.rejects(cartulary.read('a.md'), /no answer: .*50 ms/);
  });

  it('begins now once, and loses nothing of what happens while a line is broken', async () => {
    const { cartulary, pace } = test.connect();
    await cartulary.request('POST', '/v1/folders', { body: { location: 'begins' } });
    const pages = cartulary.changes({ location: 'begins', start: 'now' });
    const first = await pages.next();
    assert.deepEqual(first.value?.changes, []);
    test.proxy.plan('lost answer', 'lost request');
    let made: Promise<Document> | undefined;
    pace.onWait = () => void (made ??= test.connect().cartulary.create('begins/between.md', 'x'));
    const [polled] = await Promise.all([
      pages.next(),
      // The answer that is lost.
      test.connect().cartulary.create('begins/lost.md', 'x'),
    ]);
    await made;
    const told = (polled.value?.changes ?? []).map(({ document }) => document.location);
    for await (const { changes } of cartulary.changes({
      location: 'begins',
      cursor: polled.value?.cursor,
      wait: false,
    })) {
      told.push(...changes.map(({ document }) => document.location));
    }
    assert.deepEqual(told, ['begins/lost.md', 'begins/between.md']);
  });

  it('loses, doubles and overwrites nothing, whatever goes wrong', async () => {
    const random = makeRandom('client faults');
    const draw = (below: number): number => Math.floor(random() * below);
    const faults = ['none', 'none', 'lost request', 'lost answer', 'cut answer', busy('1'), busy('2', 503)] as const;
    const writers = ['left', 'right'].map((name) => ({ name, ...test.connect({ retries: 20 }) }));
    const { location } = await writers[0]!.cartulary.create('random/list.md', '');
    const written: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const { name, cartulary } = writers[draw(writers.length)]!;
      const other = writers[draw(writers.length)]!;
      let document = await cartulary.read(location);
      if (draw(3) === 0) {
        const between = await other.cartulary.read(location);
        written.push(`between-${round}`);
        await between.update(`${between.text}between-${round}\n`);
      }
      test.proxy.plan(...Array.from({ length: draw(4) }, () => faults[draw(faults.length)]!));
      written.push(`${name}-${round}`);
      for (;;) {
        const line = `${name}-${round}\n`;
        const done = await document.update(document.text + line).catch((error: unknown) => error);
        if (!(done instanceof Error)) break;
        assert.equal((done as { reason?: string }).reason, 'stale_if_match');
        document = await cartulary.read(location);
      }
      test.proxy.reset();
    }
    const { text } = await test.connect().cartulary.read(location);
    assert.deepEqual(text?.trimEnd().split('\n'), written);
    assert.equal((await versions(location)).length, written.length + 1);
  });

  const versions = (location: string): Promise<unknown[]> =>
    test.connect().cartulary.list('/v1/history', { location }).toArray();
});

/** The rate of a key comes back with the time of day. */
class PassingClock extends TestClock {
  override now(): number {
    return Math.floor(this.elapsed());
  }
}

const busy = (retryAfter: string, status = 429): Fault => ({
  what: 'answer',
  status,
  headers: { 'Content-Type': 'application/json', 'Retry-After': retryAfter },
  body: JSON.stringify({
    error: { code: status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE', message: 'Later.', request_id: 'req_test' },
  }),
});
