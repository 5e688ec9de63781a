import assert from 'node:assert/strict';
import { endOfFeed } from '../../lib/feed/feed-position.js';
import { EventStream } from '../support/http/event-stream.js';
import {
  openTestServer,
  type HttpAnswer,
  type HttpClient,
  type Parsed,
  type TestServer,
} from '../support/http/server.js';
import { rootLocation } from '../../lib/domain/location.js';
import { readChanges } from '../../lib/operations/feed/read-feed-pages.js';
import { perform } from '../../lib/operations/perform.js';
import { until } from '../support/until.js';

describe('who listens to changes', () => {
  let server: TestServer;
  let ada: HttpClient;
  let rea: HttpClient;
  let reader: { readonly id: string; readonly key: string };
  const streams: EventStream[] = [];
  const json = { Accept: 'application/json' };

  beforeEach(async () => {
    server = await openTestServer({
      workLimits: {
        listeners: { perSource: 3, inAll: 6 },
        workspaceListeners: { perSource: 4 },
        requests: { perSource: 3 },
        catchUps: { perSource: 1 },
      },
      tailInterval: 20,
    });
    ada = await server.person('approver', '', 'Ada');
    reader = await server.host.person('reader', 'team', 'Rea');
    rea = server.as(reader.key);
    await ada.create('team/a.md');
    await ada.create('hidden/x.md');
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    await server.close();
  });

  describe('by a long poll', () => {
    it('get what is there at once, and otherwise wait for the first item', async () => {
      const first = await changes('wait=60');
      assert.deepEqual(places(first), ['team/a.md']);
      const waiting = changes(`wait=60&cursor=${first.json.next_cursor}`);
      await until('it waits', () => listening() === 1);
      await ada.create('team/b.md');
      const second = await waiting;
      assert.deepEqual(places(second), ['team/b.md']);
      assert.equal(second.json.items[0].kind, 'created');
    });

    it('get an empty page when the time is over, and go on from its cursor', async () => {
      const empty = await changes('start=now&wait=1');
      assert.deepEqual(empty.json.items, []);
      await ada.create('team/b.md');
      assert.deepEqual(places(await changes(`cursor=${empty.json.next_cursor}`)), ['team/b.md']);
    });

    it('are woken by nothing that they cannot reach', async () => {
      const cursor = await now();
      let answer: HttpAnswer | undefined;
      const waiting = changes(`wait=60&cursor=${cursor}`).then((given) => (answer = given));
      await until('it waits', () => listening() === 1);
      await ada.create('hidden/y.md');
      await ada.put('/v1/documents/hidden/x.md', { content: 'secret' });
      await server.host.person('reader', 'hidden', 'Ben');
      // A stream of somebody who may read it shows that all of it was told.
      const other = await follow('start=now', {}, (await server.host.person('reader', 'hidden', 'Cy')).key);
      await ada.create('hidden/z.md');
      await other.messagesToCome(1);
      assert.equal(answer, undefined);
      await ada.create('team/b.md');
      assert.deepEqual(places(await waiting), ['team/b.md']);
    });

    it('learn whether a page is the last one for now', async () => {
      await ada.create('team/b.md');
      const first = await changes('limit=1');
      const second = await changes(`limit=1&cursor=${first.json.next_cursor}`);
      const third = await changes(`limit=1&cursor=${second.json.next_cursor}`);
      const said = [first, second, third].map(({ json: { items, is_current: isLast } }) => [items.length, isLast]);
      assert.deepEqual(said, [
        [1, false],
        [1, true],
        [0, true],
      ]);
    });

    it('learn nothing by it of hidden work that was not passed over in time', async () => {
      const { feeds } = server.host.workspace.workLimits;
      const take = feeds.take.bind(feeds);
      // Longer than the writes take on a busy machine.
      const waiting = changes(`wait=8&cursor=${await now()}`);
      const over = new Promise((resolve) => setTimeout(resolve, 8100));
      await until('it waits', () => listening() === 1);
      for (let number = 0; number < 120; number += 1) await ada.create(`hidden/${number}.md`);
      let isAsked = false;
      let goOn = (): void => undefined;
      feeds.take = async (...args) => {
        isAsked = true;
        await new Promise<void>((resolve) => (goOn = resolve));
        return take(...args);
      };
      // A change of access lets everyone look.
      await server.host.person('reader', 'hidden', 'Ben');
      await until('it looks', () => isAsked);
      await over;
      goOn();
      const { json } = await waiting;
      assert.deepEqual([json.items, json.is_current], [[], true]);
    });

    it('are counted together for all keys of a principal, and for their workspace', async () => {
      const keys = [reader.key, await server.host.key(reader.id, ['rest']), await server.host.key(reader.id, ['rest'])];
      const waiting = keys.map((key) => follow('start=now&wait=60', json, key));
      await until('three wait', () => listening() === 3);
      const fourth = server.as(await server.host.key(reader.id, ['rest']));
      assert.equal((await changes('start=now&wait=60', fourth)).refusal, 'RATE_LIMITED');
      const another = await server.host.person('reader', 'team');
      waiting.push(follow('start=now&wait=60', json, another.key));
      await until('four wait', () => listening() === 4);
      assert.equal((await changes('start=now&wait=60', ada)).refusal, 'UNAVAILABLE');
      const other = server.host.workspace.workLimits.listeners.tryTake('other/ada');
      assert.notEqual(other, undefined, 'another workspace has room');
      other?.();
      await ada.create('team/b.md');
      for (const each of await Promise.all(waiting)) await each.ended();
      assert.equal(listening(), 0);
      assert.equal((await changes('start=now&wait=1', fourth)).status, 200);
    });

    it('read a page once while nothing is written, and again where something was written meanwhile', async () => {
      const { workspace } = server.host;
      const { feeds } = workspace.workLimits;
      const take = feeds.take.bind(feeds);
      let pages = 0;
      let meanwhile = (): Promise<unknown> => Promise.resolve();
      feeds.take = async (...args) => {
        pages += 1;
        const release = await take(...args);
        return () => {
          release();
          void meanwhile();
        };
      };
      const cursor = await now();
      pages = 0;
      const waiting = changes(`wait=60&cursor=${cursor}`);
      await until('it waits', () => listening() === 1);
      assert.equal(pages, 1);
      await ada.create('team/b.md');
      const second = await waiting;
      assert.deepEqual(places(second), ['team/b.md']);
      assert.equal(pages, 2);
      const { journal } = workspace;
      const stamp = journal.contentStamp;
      let isWritten = false;
      meanwhile = async () => {
        if (isWritten) return;
        isWritten = true;
        await ada.create('team/c.md');
      };
      const third = await changes(`wait=60&cursor=${second.json.next_cursor}`);
      assert.ok(journal.contentStamp > stamp);
      assert.deepEqual(places(third), ['team/c.md']);
    });

    it('go on where a page ended early without items, before they answer', async () => {
      const { workspace } = server.host;
      const { feedTail } = workspace;
      const next = endOfFeed({ tables: workspace.journal.reader });
      const share = feedTail.share.bind(feedTail);
      let early = 0;
      feedTail.share = (...args) => {
        early += 1;
        return early < 3 ? Promise.resolve({ items: [], next, isCurrent: false }) : share(...args);
      };
      const waiting = changes('start=now&wait=60');
      await until('it waits', () => listening() === 1);
      await ada.create('team/b.md');
      assert.deepEqual(places(await waiting), ['team/b.md']);
      assert.equal(early, 3);
    });

    it('hold no place among the requests, and one among the listeners until they leave', async () => {
      const cursor = await now();
      const waiting = [1, 2, 3].map(() => follow(`wait=60&cursor=${cursor}`, json));
      await until('three wait', () => listening() === 3);
      const refused = await changes(`wait=60&cursor=${cursor}`);
      assert.equal(refused.refusal, 'RATE_LIMITED');
      assert.equal(refused.headers['retry-after'], '1');
      assert.equal((await changes(`cursor=${cursor}`)).status, 200);
      const other = await server.host.person('reader', 'team');
      waiting.push(follow('start=now&wait=60', json, other.key));
      await until('four wait', () => listening() === 4);
      const busy = await changes('start=now&wait=60', ada);
      assert.deepEqual([busy.refusal, busy.headers['retry-after']], ['UNAVAILABLE', '2']);
      await ada.create('team/b.md');
      for (const each of await Promise.all(waiting)) await each.ended();
      assert.equal(listening(), 0);
      assert.equal((await changes('start=now&wait=1')).status, 200);
    });
  });

  describe('by a stream', () => {
    it('read on after their first page when fewer streams of the principal catch up', async () => {
      for (let index = 0; index < 130; index += 1) await ada.create(`team/${index}.md`);
      const { workspace } = server.host;
      const release = workspace.workLimits.catchUps.takeNow(`${workspace.name}/${reader.id}`);
      const stream = await follow('limit=1');
      assert.equal((await stream.messagesToCome(100)).length, 100, 'a page of a stream has a hundred items');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(stream.messages.length, 100);
      release();
      await stream.messagesToCome(131);
      await until('its place is given back', () => workspace.workLimits.catchUps.use.used === 0);
      await ada.create('team/new.md');
      await stream.messagesToCome(132);
    });

    it('are counted apart from what they hear by MCP', async () => {
      const { workspace } = server.host;
      const asAgent = { principalId: reader.id, kind: 'agent', credentialId: null, requestId: 'req_test' } as const;
      const listen = () =>
        perform(workspace, { ...asAgent, interface: 'mcp' }, readChanges, {
          location: rootLocation,
          kinds: null,
          after: null,
          limit: 100,
          wait: 0,
          form: 'stream',
          standAside: () => new AbortController().signal,
        });
      for (let count = 0; count < 3; count += 1) await follow('start=now');
      assert.equal((await follow('start=now')).status, 429);
      const { result } = await listen();
      assert.equal(listening(), 4);
      result.stream?.leave();
    });

    it('get everything in reach, then each change as it comes', async () => {
      const stream = await follow();
      assert.deepEqual(
        [stream.headers['content-type'], stream.headers['cache-control'], stream.headers['x-accel-buffering']],
        ['text/event-stream', 'no-store', 'no'],
      );
      await stream.messagesToCome(1);
      await ada.put('/v1/documents/team/a.md', { content: 'two' });
      await ada.create('team/b.md');
      const messages = await stream.messagesToCome(3);
      assert.deepEqual(
        messages.map(({ kind, document }) => [kind, document.location]),
        [
          ['entered', 'team/a.md'],
          ['updated', 'team/a.md'],
          ['created', 'team/b.md'],
        ],
      );
    });

    it('go on after the last id, even where the query has a cursor or begins now', async () => {
      const query = 'start=now';
      const stream = await follow(query);
      await until('its place is known', () => stream.lastId !== '');
      stream.leave();
      await ada.create('team/b.md');
      const again = await follow(query, { 'Last-Event-ID': stream.lastId });
      assert.equal((await again.messagesToCome(1))[0].document.location, 'team/b.md');
      again.leave();
      await ada.create('team/c.md');
      const cursor = `cursor=${stream.lastId}`;
      assert.equal((await follow(cursor, { 'Last-Event-ID': again.lastId })).status, 200);
      const pages = await changes(`cursor=${again.lastId}`);
      assert.deepEqual(places(pages), ['team/c.md']);
    });

    it('get not a byte for what they cannot reach', async () => {
      const stream = await follow('start=now');
      await until('its place is known', () => stream.lastId !== '');
      const { text } = stream;
      await ada.create('hidden/y.md');
      const cy = await server.host.person('reader', 'hidden', 'Cy');
      const other = await follow('start=now', {}, cy.key);
      await ada.create('hidden/z.md');
      await other.messagesToCome(1);
      assert.equal(stream.text, text);
      await ada.create('team/b.md');
      assert.equal((await stream.messagesToCome(1)).length, 1);
    });

    it('are told nothing more when the place leaves their reach, and find nothing there again', async () => {
      const stream = await follow('location=team');
      await stream.messagesToCome(1);
      await server.host.revoke('reader', { type: 'principal', id: reader.id }, 'team');
      await stream.ended();
      assert.match(stream.text, /event: gone\ndata: \{\}\n\n$/);
      assert.equal((await follow('location=team')).status, 404);
      assert.equal((await changes('location=team')).refusal, 'NOT_FOUND');
      assert.equal((await changes('location=none')).refusal, 'NOT_FOUND');
    });

    it('get everything, though they read nothing for a while', async () => {
      const stream = await follow('location=team');
      await stream.messagesToCome(1);
      stream.stopReading();
      const message = 'm'.repeat(1000);
      for (let round = 0; round < 60; round += 1) {
        await ada.put('/v1/documents/team/a.md', { content: `round ${round}`, message });
        await ada.create(`team/${round}.md`);
      }
      stream.goOnReading();
      await until('the newest has come', () =>
        stream.messages.some(({ document }) => document.location === 'team/59.md'),
      );
    });

    it('end when the service stops, and keep it from nothing', async () => {
      const stream = await follow();
      const waiting = changes('start=now&wait=60');
      await until('both listen', () => listening() === 2);
      server.host.service.endWatches();
      await stream.ended();
      assert.deepEqual((await waiting).json.items, []);
      assert.equal(listening(), 0);
    });

    it('leave a record at the beginning and one at the end of the same request, with the number of items', async () => {
      const stream = await follow('location=team');
      await stream.messagesToCome(1);
      stream.leave();
      await until('it has left', () => listening() === 0);
      const cut = await follow('location=team');
      await cut.messagesToCome(1);
      await server.host.revoke('reader', { type: 'principal', id: reader.id }, 'team');
      await cut.ended();
      const records = await until('all ends are recorded', () => {
        const found = server.records().filter(({ record }) => record.action.startsWith('feed.'));
        return found.length === 4 && found;
      });
      assert.deepEqual(
        records.map(({ record: { action, code }, text }) => [action, code, text?.target ?? null, text?.detail ?? null]),
        [
          ['feed.read', null, 'team', '{"form":"stream","first_page":true}'],
          ['feed.followed', null, null, '{"items":1}'],
          ['feed.read', null, 'team', '{"form":"stream","first_page":true}'],
          ['feed.followed', 'NOT_FOUND', null, '{"items":1,"broken_off":true}'],
        ],
      );
      const [first, second, third, fourth] = records.map(({ record }) => record.request_id);
      assert.ok(first !== undefined && third !== undefined && first !== third);
      assert.deepEqual([second, fourth], [first, third]);
    });
  });

  it('go on with another key of the same principal, and not with one of another', async () => {
    const cursor = await now();
    await ada.create('team/b.md');
    const another = server.as(await server.host.key(reader.id, ['rest']));
    assert.deepEqual(places(await changes(`cursor=${cursor}`, another)), ['team/b.md']);
    assert.equal((await changes(`cursor=${cursor}`, ada)).refusal, 'INVALID_REQUEST bad_cursor');
    assert.equal((await changes(`cursor=${cursor}&location=team`)).refusal, 'INVALID_REQUEST bad_cursor');
    assert.equal((await changes(`cursor=${cursor}&kind=created`)).refusal, 'INVALID_REQUEST bad_cursor');
    assert.equal((await changes(`cursor=${cursor}&limit=1&wait=1`)).status, 200);
  });

  it('go on with a cursor of a hundred years ago', async () => {
    const cursor = await now();
    server.host.clock.advance(100 * 365 * 24 * 60 * 60 * 1000);
    assert.equal((await changes(`cursor=${cursor}`)).status, 200);
  });

  it('are told what is wrong with their request', async () => {
    const cursor = await now();
    const refusals: Readonly<Record<string, string>> = {
      [`cursor=${cursor}&start=now`]: 'INVALID_REQUEST bad_field',
      'start=then': 'INVALID_REQUEST bad_field',
      'wait=61': 'INVALID_REQUEST bad_field',
      'wait=1e1': 'INVALID_REQUEST bad_field',
      'wait=-1': 'INVALID_REQUEST bad_field',
      'kind=': 'INVALID_REQUEST bad_field',
      'kind=created,read': 'INVALID_REQUEST bad_field',
      'kind=created,created': 'INVALID_REQUEST bad_field',
      'cursor=x': 'INVALID_REQUEST bad_cursor',
      'location=../x': 'INVALID_REQUEST bad_location',
      'since=x': 'INVALID_REQUEST unknown_field',
    };
    for (const [query, refusal] of Object.entries(refusals))
      assert.equal((await changes(query)).refusal, refusal, query);
    const bad = await rea.get('/v1/changes', { 'Last-Event-ID': 'x' });
    assert.equal(bad.refusal, 'INVALID_REQUEST bad_cursor');
  });

  it('get the kinds that they ask for', async () => {
    const cursor = await now('kind=updated,deleted');
    await ada.put('/v1/documents/team/a.md', { content: 'two' });
    await ada.create('team/b.md');
    const { json } = await changes(`kind=deleted,updated&cursor=${cursor}`);
    assert.deepEqual(
      json.items.map(({ kind }: Parsed) => kind),
      ['updated'],
    );
  });

  it('get the headers alone by HEAD, at once', async () => {
    assert.equal((await rea.head('/v1/changes?start=now&wait=60')).status, 200);
    const stream = await rea.head('/v1/changes', { Accept: 'text/event-stream' });
    assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream']);
    assert.equal(listening(), 0);
  });

  const changes = (query = '', who = rea): Promise<HttpAnswer> => who.get(`/v1/changes?${query}`);

  /** A cursor for what happens from now on. */
  const now = async (query = ''): Promise<string> => (await changes(`start=now&${query}`)).json.next_cursor;

  const places = ({ json }: HttpAnswer): string[] => json.items.map(({ document }: Parsed) => document.location);

  const follow = async (query = '', headers = {}, key = reader.key): Promise<EventStream> => {
    const sent = { Authorization: `Bearer ${key}`, ...headers };
    const stream = await EventStream.open(server.rest.port, `/v1/changes?${query}`, sent);
    streams.push(stream);
    return stream;
  };

  const listening = (): number => server.host.workspace.feedTail.size;
});
