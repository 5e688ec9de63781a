import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { FeedPage } from '../../lib/feed/read-feed.js';
import { FeedTail } from '../../lib/feed/tail.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';

/** Milliseconds between two looks. */
const interval = 5;

describe('the tail of the feed', () => {
  let service: TestService;
  let tail: FeedTail;
  let ada: Client;
  let rea: Client;
  const faults: unknown[] = [];

  beforeEach(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'approver', '');
    rea = await addClient(host, 'Rea', 'reader', 'team');
    await ada.create('team/a.md', 'one');
    await ada.create('hidden/x.md', 'one');
    tail = new FeedTail(service.workspace.journal, { interval, onFault: (cause) => faults.push(cause) });
  });
  afterEach(async () => {
    tail.close();
    faults.length = 0;
    await service.close();
  });

  it('wakes whom a change concerns, by place and reach, and nobody else', async () => {
    const admin = listen(ada);
    const reader = listen(rea);
    const elsewhere = listen(ada, 'hidden');
    await ada.update('team/a.md', 'two');
    await until('the reader is woken', () => reader.wakes === 1);
    assert.equal(elsewhere.wakes, 0);
    await ada.update('hidden/x.md', 'two');
    await ada.labels('add', 'hidden/x.md', 'draft');
    await ada.comment('hidden/x.md', 'Why?');
    await ada.delete('hidden/x.md');
    await allSeen(admin);
    assert.equal(reader.wakes, 1);
    assert.ok(elsewhere.wakes > 0);
    await ada.labels('add', 'team/a.md', 'draft');
    await until('the reader is woken by a label', () => reader.wakes > 1);
  });

  it('wakes for what comes into reach or leaves it: moves, deletions, grants', async () => {
    const reader = listen(rea);
    const wakes = async (deed: () => Promise<unknown>, what: string): Promise<void> => {
      const before = reader.wakes;
      await deed();
      await until(`the reader is woken by ${what}`, () => reader.wakes > before);
    };
    await wakes(() => ada.delete('team/a.md'), 'a deletion');
    await wakes(() => ada.undelete('team/a.md'), 'its undoing');
    await wakes(() => ada.move('team/a.md', 'hidden'), 'a document that leaves');
    await wakes(() => service.grant('reader', { type: 'principal', id: rea.id }, 'hidden'), 'a grant');
    await wakes(() => service.revoke('reader', { type: 'principal', id: rea.id }, 'hidden'), 'its end');
  });

  it('rests without listeners, and is asked for nothing that was before', async () => {
    const first = listen(ada);
    first.leave();
    assert.equal(tail.size, 0);
    await ada.update('team/a.md', 'two');
    const second = listen(ada);
    await until('some looks have passed', () => second.checks > 1);
    assert.deepEqual([first.wakes, first.checks, second.wakes], [0, 0, 0]);
  });

  it('makes calls of each second, also without listeners, until they are ended', async () => {
    const calls = { first: 0, second: 0 };
    const endFirst = tail.eachSecond(() => void (calls.first += 1));
    const endSecond = tail.eachSecond(() => void (calls.second += 1));
    await until('both are called twice', () => Math.min(calls.first, calls.second) > 1);
    endFirst();
    endFirst();
    const { first, second } = calls;
    await until('the other one is called again', () => calls.second > second + 1);
    assert.equal(calls.first, first);
    endSecond();
    const later = listen(ada);
    await ada.update('team/a.md', 'two');
    await until('a listener that comes later is woken', () => later.wakes > 0);
    assert.equal(calls.second > second, true);
  });

  it('wakes a listener that comes while only calls were made, for nothing that was before', async () => {
    let called = 0;
    tail.eachSecond(() => void (called += 1));
    await ada.update('team/a.md', 'two');
    await until('a call was made', () => called > 0);
    const reader = listen(rea);
    await until('some looks have passed', () => reader.checks > 1);
    assert.equal(reader.wakes, 0);
    await ada.update('team/a.md', 'three');
    await until('it is woken', () => reader.wakes > 0);
  });

  it('reports what a call throws, once, and goes on with the others', async () => {
    const unhandled: unknown[] = [];
    const note = (cause: unknown): void => void unhandled.push(cause);
    process.on('unhandledRejection', note);
    try {
      const broken = { wake: 0, check: 0, call: 0 };
      const fail = (what: keyof typeof broken) => (): never => {
        broken[what] += 1;
        throw new Error(what);
      };
      const listener = {
        location: parseFolderLocation(''),
        reach: () => service.workspace.view(ada.caller).reach,
        wake: () => undefined,
        check: () => undefined,
      };
      tail.listen({ ...listener, wake: fail('wake') });
      tail.listen({ ...listener, check: fail('check') });
      tail.eachSecond(fail('call'));
      const admin = listen(ada);
      await until('the checks have failed twice', () => broken.check > 1 && broken.call > 1);
      await allSeen(admin);
      await until('the wake-up has failed', () => broken.wake > 0);
      assert.deepEqual(faults.map(String).toSorted(), ['Error: call', 'Error: check', 'Error: wake']);
      assert.ok(admin.checks > 0);
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('reads a page once for all who want it, until something is written or reading fails', async () => {
    let reads = 0;
    const page: FeedPage = { items: [], next: '', isCurrent: true };
    const read = (): Promise<FeedPage> => {
      reads += 1;
      return Promise.resolve(page);
    };
    assert.equal(await tail.share('a', read), await tail.share('a', read));
    assert.equal(reads, 1);
    await tail.share('b', read);
    assert.equal(reads, 2);
    await ada.update('team/a.md', 'two');
    await tail.share('a', read);
    assert.equal(reads, 3);
    await assert.rejects(tail.share('c', () => Promise.reject(new Error('broken'))));
    assert.equal(await tail.share('c', read), page);
  });

  /** Somebody who counts the calls. */
  const listen = (client: Client, location = '') => {
    const calls = { wakes: 0, checks: 0, leave: (): void => undefined };
    calls.leave = tail.listen({
      location: parseFolderLocation(location),
      reach: () => service.workspace.view(client.caller).reach,
      wake: () => void (calls.wakes += 1),
      check: () => void (calls.checks += 1),
    });
    return calls;
  };

  /** Waits until somebody who sees everything has been woken. */
  const allSeen = async (admin: { wakes: number }): Promise<void> => {
    const before = admin.wakes;
    await ada.create(`seen/${before}-${performance.now()}.md`, 'x');
    await until('the tail has looked', () => admin.wakes > before);
  };
});
