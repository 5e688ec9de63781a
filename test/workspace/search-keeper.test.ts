import assert from 'node:assert/strict';
import { plainTexts } from '../support/store/plain-texts.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseLocation } from '../../lib/domain/location.js';
import { SearchKeeper } from '../../lib/indexing/search-keeper.js';
import type { IndexEvent } from '../../lib/indexing/index-event.js';
import { TestClock } from '../support/store/service.js';

const everything = { everything: true, folders: [], documents: [] };

describe('the keeper of the text index', () => {
  it('takes no note while it is behind, so that it still knows the commit from which to catch up', async () => {
    const keeper = new SearchKeeper({
      folder: null,
      languages: ['en'],
      clock: new TestClock(),
      texts: plainTexts(() => Promise.resolve(Buffer.from('words'))),
      onFault: () => undefined,
      onBehind: () => undefined,
    });
    keeper.follow('c2', [write(1, 'a.md', 'one')]);
    await keeper.settled();
    assert.equal(keeper.index.commit, null);
    keeper.startFollowing();
    keeper.follow('c3', [write(2, 'b.md', 'two')]);
    await keeper.settled();
    assert.equal(keeper.index.commit, 'c3');
    await keeper.close();
  });

  it('lets a search wait for earlier writes, and for no later ones', async () => {
    const { keeper, arrive, find } = openKeeper();
    keeper.follow('c1', [write(1, 'a.md', 'one')]);
    const found = find('early');
    await arrive('one', 'early words');
    keeper.follow('c2', [write(2, 'b.md', 'two')]);
    assert.deepEqual(
      (await found).hits.map(({ location }) => location),
      ['a.md'],
    );
    await arrive('two', 'early too');
    assert.equal((await find('early')).hits.length, 2);
    await keeper.close();
  });

  it('reads only the newest of several waiting versions', async () => {
    const { keeper, asked, arrive, find } = openKeeper();
    keeper.follow('c1', [write(1, 'a.md', 'one')]);
    keeper.follow('c2', [write(1, 'a.md', 'two')]);
    keeper.follow('c3', [write(1, 'a.md', 'three')]);
    const found = find('newest');
    await arrive('three', 'newest words');
    assert.equal((await found).hits.length, 1);
    assert.deepEqual(asked, ['three']);
    assert.equal(keeper.index.commit, 'c3');
    await keeper.close();
  });

  it('holds a document once that was read anew at another place before its first version was indexed', async () => {
    const keeper = new SearchKeeper({
      folder: null,
      languages: ['en'],
      clock: new TestClock(),
      texts: plainTexts((oid) => Promise.resolve(Buffer.from(`words of ${oid}`))),
      onFault: () => undefined,
      onBehind: () => undefined,
    });
    keeper.markReady();
    keeper.follow('c1', [write(1, 'a.md', 'one')]);
    keeper.follow('c2', [write(1, 'a.html', 'one')]);
    keeper.follow('c3', [write(2, 'a.md', 'two')]);
    keeper.follow('c4', [write(1, 'b.html', 'one')]);
    const { hits } = await keeper.search({ reach: everything, query: 'words', limit: 9 });
    assert.deepEqual(hits.map(({ key, location }) => `${key} ${location}`).sort(), ['1 b.html', '2 a.md']);
    await keeper.close();
  });

  it('has long texts taken apart beside the event loop, however hostile', async () => {
    for (const piece of ['[', 'a\u0301\u0302', '](', '\ufdfa ', 'x', '漢']) {
      const { keeper, arrive, find } = openKeeper();
      keeper.follow('c1', [write(1, 'plum.md', 'one')]);
      const found = find('plum');
      await arrive('one', piece.repeat(1_000_000 / piece.length));
      const state = { isFound: false };
      void found.then(() => (state.isFound = true));
      let turns = 0;
      for (; !state.isFound; turns += 1) await nextTurn();
      assert.equal((await found).hits.length, 1);
      assert.ok(turns > 20, `the loop went on turning: ${turns} times for ${JSON.stringify(piece)}`);
      await keeper.close();
    }
  });

  it('keeps a flood of writers waiting until half of it is followed', async () => {
    const { keeper, arrive, faults } = openKeeper();
    const state = { hasRoom: false, isSettled: false };
    const feed = async (): Promise<void> => {
      while (!state.isSettled) {
        await arrive('same', 'words');
        await nextTurn();
      }
    };
    const flood = Array.from({ length: 5000 }, (_, index) => write(index, `${index}.md`, 'same'));
    keeper.follow('c1', flood);
    const room = keeper.roomForWrites().then(() => (state.hasRoom = true));
    await nextTurn();
    assert.equal(state.hasRoom, false);
    await Promise.all([room, keeper.settled().then(() => (state.isSettled = true)), feed()]);
    assert.equal(keeper.index.commit, 'c1');
    assert.deepEqual(faults, []);
    await keeper.close();
  });

  it('reads the texts of the next batch while those of the one before it are analysed', async () => {
    const { keeper, asked, arrive, find, faults } = openKeeper();
    const flood = Array.from({ length: 257 }, (_, index) =>
      write(index, `${index}.md`, index === 256 ? 'last' : 'same'),
    );
    keeper.follow('c1', flood);
    const state = { isSettled: false };
    const settled = keeper.settled().then(() => (state.isSettled = true));
    await arrive('last', 'last words');
    assert.deepEqual(asked, ['same', 'last']);
    while (!state.isSettled) {
      await arrive('same', 'first words');
      await nextTurn();
    }
    await settled;
    assert.equal((await find('last')).hits.length, 1);
    assert.equal((await find('first')).hits.length, 9);
    assert.equal(keeper.index.commit, 'c1');
    assert.deepEqual(faults, []);
    await keeper.close();
  });

  it('is not ready while a fault of its filling is still to be repaired', async () => {
    const { keeper, arrive, find } = openKeeper();
    await keeper.startAnew(['en']);
    await assert.rejects(find('early'), /is being built/);
    keeper.distrust();
    keeper.index.endRebuild('c1');
    keeper.markReady();
    await assert.rejects(find('early'), /is being built/);
    await keeper.startAnew(['en']);
    keeper.markReady();
    keeper.follow('c2', [write(1, 'a.md', 'one')]);
    const found = find('early');
    await arrive('one', 'early words');
    assert.equal((await found).hits.length, 1);
    await keeper.close();
  });

  it('keeps a write of many documents waiting longer than the write of one', async () => {
    const { keeper, arrive, faults } = openKeeper();
    const flood = Array.from({ length: 2000 }, (_, index) => write(index, `${index}.md`, 'same'));
    keeper.follow('c1', flood);
    await keeper.roomForWrites();
    const state = { hasRoom: false, isSettled: false };
    const room = keeper.roomForWrites(true).then(() => (state.hasRoom = true));
    await nextTurn();
    assert.equal(state.hasRoom, false);
    const settled = keeper.settled().then(() => (state.isSettled = true));
    while (!state.isSettled) {
      await arrive('same', 'words');
      await nextTurn();
    }
    await Promise.all([room, settled]);
    assert.deepEqual(faults, []);
    await keeper.close();
  });

  it('has room at once when little waits', async () => {
    const { keeper, arrive } = openKeeper();
    keeper.follow('c1', [write(1, 'a.md', 'one')]);
    await keeper.roomForWrites();
    assert.equal(keeper.index.commit, null);
    await arrive('one', 'words');
    await keeper.close();
  });
});

const write = (number: number, name: string, blobOid: string): IndexEvent => ({
  type: 'upsert',
  document: {
    number,
    location: parseLocation(name),
    blobOid,
    size: 10,
    kind: 'text',
    mediaType: 'text/markdown',
    labels: [],
  },
});

/** A keeper whose texts arrive when the test lets them. */
function openKeeper() {
  const asked: string[] = [];
  const arrivals = new Map<string, ((text: string) => void)[]>();
  const faults: unknown[] = [];
  const keeper = new SearchKeeper({
    folder: null,
    languages: ['en'],
    clock: new TestClock(),
    texts: plainTexts((oid) => {
      asked.push(oid);
      return new Promise((resolve) => {
        arrivals.set(oid, [...(arrivals.get(oid) ?? []), (text) => resolve(Buffer.from(text))]);
      });
    }),
    onFault: (_, cause) => faults.push(cause),
    onBehind: () => undefined,
  });
  keeper.markReady();
  const arrive = async (oid: string, text: string): Promise<void> => {
    while (!arrivals.has(oid)) await nextTurn();
    for (const resolve of arrivals.get(oid)?.splice(0) ?? []) resolve(text);
  };
  const find = (query: string) => keeper.search({ reach: everything, query, limit: 9 });
  return { keeper, asked, faults, arrive, find };
}
