import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import {
  ApiError,
  Cartulary,
  CartularyError,
  StaleVersionError,
  type Change,
  type FollowOptions,
} from 'cartulary/client';
import { openClientTest, type ClientTest } from './support.js';

describe('The client', () => {
  let test: ClientTest;
  let cartulary: Cartulary;

  before(async () => {
    test = await openClientTest();
    ({ cartulary } = test.connect());
  });
  after(() => test.close());

  it('creates, reads and updates without naming an ETag', async () => {
    const made = await cartulary.create('use/travel notes & more.md', '# Travel\n', { message: 'First' });
    assert.deepEqual([made.location, made.record.kind], ['use/travel notes & more.md', 'text']);
    const read = await cartulary.read(made.location);
    assert.deepEqual([read.text, read.etag], ['# Travel\n', made.etag]);
    const second = await read.update(`${read.text}\nBy train.\n`);
    const third = await second.update('Short.\n', { mediaType: 'text/markdown' });
    assert.equal((await cartulary.read(made.location)).etag, third.etag);
    const old = await cartulary.read(made.location, { version: made.record.version.id });
    assert.equal(old.text, '# Travel\n');
  });

  it('refuses an update of an older version, and gives the one that came between', async () => {
    const mine = await cartulary.create('use/shared.md', 'one');
    const theirs = await (await cartulary.read('use/shared.md')).update('two');
    const error = await mine.update('three').catch((thrown: unknown) => thrown);
    assert.ok(error instanceof StaleVersionError && error instanceof ApiError);
    assert.deepEqual([error.code, error.reason, error.status], ['CONFLICT', 'stale_if_match', 409]);
    assert.deepEqual([error.current?.text, error.current?.etag], ['two', theirs.etag]);
    assert.ok(error.is('stale_if_match'));
    assert.equal(error.details.updated_by.display_name, 'Ada');
    const merged = await error.current?.update('two and three');
    assert.equal(merged?.text, 'two and three');
    await assert.rejects(mine.delete(), { name: 'StaleVersionError' });
    assert.equal((await mine.delete({ ifMatch: '*' })).deleted, true);
    await assert.rejects(mine.reread(), { code: 'NOT_FOUND' });
  });

  it('edits by a function, again where somebody was faster, and overwrites nothing', async () => {
    const location = 'use/edited.md';
    await cartulary.create(location, 'one\n');
    let others = 2;
    const edited = await cartulary.edit(location, async (text, document) => {
      if (others > 0) await document.update(`${text}other ${(others -= 1)}\n`);
      return `${text}mine\n`;
    });
    assert.equal(edited.text, 'one\nother 1\nother 0\nmine\n');
    const kept = await cartulary.edit(location, (text) => text);
    assert.equal(kept.etag, edited.etag, 'the same text writes nothing');
    const busy = cartulary.edit(location, async (text, document) => {
      await document.update(`${text}x`);
      return 'mine';
    });
    await assert.rejects(busy, { name: 'StaleVersionError' });
    await cartulary.create('use/bytes.bin', new Uint8Array([0, 1, 255]));
    await assert.rejects(
      cartulary.edit('use/bytes.bin', () => ''),
      /use\/bytes\.bin is not text/,
    );
  });

  it('walks lists of any length, and stops fetching where the loop stops', async () => {
    for (let number = 0; number < 25; number += 1) await cartulary.create(`lists/${number}.md`, 'x');
    const list = cartulary.list('/v1/documents', { location: 'lists', limit: 10 });
    const names = (await list.toArray()).map(({ name }) => name);
    assert.deepEqual([names.length, new Set(names).size], [25, 25]);
    test.proxy.reset();
    assert.equal((await list.toArray(10)).length, 10);
    for await (const { name } of list) if (name === names[3]) break;
    assert.equal(test.proxy.exchanges.length, 2);
    const [first] = await list
      .pages()
      .next()
      .then(({ value }) => [value]);
    assert.ok(first);
    const rest = [];
    for await (const page of list.pages(first.next_cursor ?? undefined)) rest.push(...page.items);
    assert.deepEqual(
      [...first.items, ...rest].map(({ name }) => name),
      names,
    );
    assert.deepEqual(await cartulary.documents('nothing').toArray(), []);
  });

  it('finds folders, documents and words', async () => {
    await cartulary.create('find/deep/pigeons.md', 'All about carrier pigeons.');
    assert.deepEqual(
      (await cartulary.folders('find').toArray()).map(({ location }) => location),
      ['find/deep'],
    );
    await test.server.host.workspace.searchCaughtUp();
    const [hit] = await cartulary.search({ q: 'pigeons' }).toArray(1);
    assert.equal(hit?.location, 'find/deep/pigeons.md');
  });

  it('finds lines by their very characters, through pages that are empty', async () => {
    await cartulary.create('lines/a.md', '# Birds\n\nCarrier pigeons (C++).\n'.repeat(15));
    const found = await cartulary.lines({ q: '(C++)', match: 'exact', location: 'lines', limit: 4 }).toArray();
    const places = found.map((item) => ('changed' in item ? 'changed' : `${item.line}:${item.column}`));
    assert.deepEqual([places.length, places[0], places.at(-1)], [15, '3:17', '45:17']);
    const [first] = await cartulary.lines({ q: '^# b', match: 'pattern' }).toArray(1);
    assert.equal(first, undefined);
  });

  it('does whatever the description has, with its types', async () => {
    await cartulary.create('any/a.md', 'x');
    const { data, isReplayed } = await cartulary.requestWithEtag('POST', '/v1/renames', {
      body: { location: 'any/a.md', name: 'b.md' },
    });
    assert.deepEqual([data.location, isReplayed], ['any/b.md', false]);
    const labels = await cartulary.request('POST', '/v1/labels', { body: { location: 'any/b.md', labels: ['done'] } });
    assert.deepEqual(labels.labels, ['done']);
    // @ts-expect-error A rename has a name.
    await assert.rejects(cartulary.request('POST', '/v1/renames', { body: { location: 'any/b.md' } }), {
      code: 'INVALID_REQUEST',
      reason: 'missing_field',
    });
    // @ts-expect-error The description has no such path.
    await assert.rejects(cartulary.request('GET', '/v1/nothing', {}), { code: 'NOT_FOUND' });
  });

  it('carries bytes both ways, as streams too', async () => {
    const bytes = new Uint8Array(3_000_000).map((_, index) => index % 251);
    const made = await cartulary.create('bytes/a.bin', new Blob([bytes]).stream());
    assert.deepEqual([made.record.size, made.text], [bytes.length, undefined]);
    const whole = await cartulary.download('bytes/a.bin');
    assert.ok(whole.body !== null && Buffer.compare(await buffer(whole.body), bytes) === 0);
    const part = await cartulary.download('bytes/a.bin', { range: 'bytes=250-252' });
    assert.deepEqual([part.status, ...new Uint8Array(await part.arrayBuffer())], [206, 250, 0, 1]);
    const zip = await cartulary.exportFolder('bytes');
    assert.equal((await zip.text()).slice(0, 2), 'PK');
    await assert.rejects(cartulary.download('bytes/none.bin'), { code: 'NOT_FOUND' });
  });

  it('keeps a mirror exact by the feed, and goes on from a kept cursor', async () => {
    const mirror = new Map<string, string>();
    const apply = (changes: readonly Change[]): void => {
      for (const { document } of changes) {
        if (document.etag === null || document.location === null) mirror.delete(document.id);
        else mirror.set(document.id, document.location);
      }
    };
    await cartulary.create('feed/a.md', 'x');
    await cartulary.create('feed/b.md', 'x');
    let kept = '';
    const follow = async (): Promise<void> => {
      const options = { location: 'feed', wait: false, ...(kept === '' ? {} : { cursor: kept }) };
      for await (const { changes, cursor } of cartulary.changes(options)) {
        apply(changes);
        kept = cursor;
      }
    };
    await follow();
    await (await cartulary.read('feed/a.md')).delete();
    await cartulary.request('POST', '/v1/renames', { body: { location: 'feed/b.md', name: 'c.md' } });
    await follow();
    assert.deepEqual([...mirror.values()], ['feed/c.md']);
  });

  it('ends at the last change where it does not wait, from the beginning and from a kept cursor', async () => {
    for (const name of ['a', 'b', 'c']) await cartulary.create(`catch-up/${name}.md`, 'x');
    const ending = new AbortController();
    const told: string[] = [];
    const follow = async (options: FollowOptions): Promise<string> => {
      let last = '';
      for await (const { changes, cursor } of cartulary.changes({ ...options, wait: false, signal: ending.signal })) {
        told.push(...changes.map(({ document }) => `${document.location}`));
        last = cursor;
        if (test.proxy.exchanges.length > 10) ending.abort(new Error('It goes on and on.'));
      }
      return last;
    };
    test.proxy.reset();
    const kept = await follow({ location: 'catch-up' });
    assert.deepEqual(told.splice(0), ['catch-up/a.md', 'catch-up/b.md', 'catch-up/c.md']);
    assert.equal(test.proxy.exchanges.length, 1);
    const again = await follow({ location: 'catch-up', cursor: kept });
    assert.deepEqual([told, test.proxy.exchanges.length], [[], 2]);
    await cartulary.create('catch-up/d.md', 'x');
    await follow({ location: 'catch-up', cursor: again });
    assert.deepEqual(told, ['catch-up/d.md']);
    // Where nothing is waited for, now is the end.
    test.proxy.reset();
    await follow({ location: 'catch-up', start: 'now' });
    assert.deepEqual([told.length, test.proxy.exchanges.length], [1, 1]);
  });

  it('waits for changes, and ends when it is aborted', async () => {
    await cartulary.request('POST', '/v1/folders', { body: { location: 'waits' } });
    const ending = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      const options = { location: 'waits', start: 'now', signal: ending.signal } as const;
      for await (const { changes } of cartulary.changes(options)) {
        for (const { kind, document } of changes) seen.push(`${kind} ${document.location}`);
        if (seen.length > 0) ending.abort(new Error('enough'));
      }
    })();
    const ended = assert.rejects(following, /enough/);
    // Each makes one more, until the feed has begun: it tells only what comes after its start.
    for (let number = 0; !ending.signal.aborted; number += 1) {
      await cartulary.create(`waits/${number}.md`, 'x');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await ended;
    assert.match(seen[0] ?? '', /^created waits\//);
  });

  it('takes its address and key from the environment', async () => {
    const { CARTULARY_URL, CARTULARY_KEY } = process.env;
    try {
      delete process.env['CARTULARY_URL'];
      delete process.env['CARTULARY_KEY'];
      assert.throws(
        () => new Cartulary(),
        new CartularyError('The option baseUrl is missing, and CARTULARY_URL is not set.'),
      );
      assert.throws(() => new Cartulary({ baseUrl: 'http://x' }), /The option key is missing/);
      process.env['CARTULARY_URL'] = `${test.proxy.url}/`;
      process.env['CARTULARY_KEY'] = test.key;
      assert.equal((await new Cartulary().create('env/a.md', 'x')).location, 'env/a.md');
    } finally {
      Object.assign(process.env, CARTULARY_URL === undefined ? {} : { CARTULARY_URL });
      Object.assign(process.env, CARTULARY_KEY === undefined ? {} : { CARTULARY_KEY });
    }
  });

  it('shows its key to the service alone: no error and no printed client has it', async () => {
    const error = await cartulary.read('none.md').catch((thrown: unknown) => thrown);
    const { inspect } = await import('node:util');
    for (const thing of [cartulary, error])
      assert.ok(!inspect(thing, { depth: 9, showHidden: true }).includes(test.key));
    assert.ok(
      test.proxy.exchanges.every(
        ({ authorization, path }) => authorization === `Bearer ${test.key}` && !path.includes(test.key),
      ),
    );
  });
});
