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

  beforeEach(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'approver', '');
    rea = await addClient(host, 'Rea', 'reader', 'team');
    await ada.create('team/a.md', 'one');
    await ada.create('hidden/x.md', 'one');
    tail = new FeedTail(service.workspace.journal, interval);
  });
  afterEach(async () => {
    tail.close();
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

  it('rests while nobody listens, and is asked for nothing that was before', async () => {
    const first = listen(ada);
    first.leave();
    assert.equal(tail.size, 0);
    await ada.update('team/a.md', 'two');
    const second = listen(ada);
    await until('some looks have passed', () => second.checks > 1);
    assert.deepEqual([first.wakes, first.checks, second.wakes], [0, 0, 0]);
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
});
