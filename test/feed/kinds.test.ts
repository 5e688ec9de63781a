import assert from 'node:assert/strict';
import { parseFolderLocation, parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { rebuild } from '../../lib/operations/workspaces/rebuild.js';
import { readFeed } from '../../lib/feed/read-feed.js';
import type { View } from '../../lib/view/view.js';
import { addClient, Client } from '../support/store/client.js';
import { eraseAt } from '../support/store/erase-at.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { outcomeOf } from '../support/store/actor.js';
import { Consumer } from './feed-world.js';

const hour = 3_600_000;

describe('the feed of changes', () => {
  let test: TestService;
  let admin: Client;

  beforeEach(async () => {
    test = await openTestService();
    admin = new Client(test.workspace, operator.principalId);
  });

  afterEach(() => test.close());

  it('tells what came before a deletion only to those who read in between', async () => {
    const [slow, quick] = [await read('', 'ada'), await read('', 'ben')];
    const kindsOf = async ({ page }: Pick<Consumer, 'page'>) => (await page()).items.map(({ kind }) => kind);
    await admin.create('a/p.md', 'one');
    await admin.update('a/p.md', 'two');
    const told = await kindsOf({ page: () => quick.page() });
    await quick.catchUp();
    await admin.delete('a/p.md');
    assert.deepEqual(told, ['created', 'updated']);
    assert.deepEqual(await kindsOf({ page: () => quick.page() }), ['deleted']);
    assert.deepEqual(await kindsOf({ page: () => slow.page() }), ['deleted']);
    const ids = (await slow.page()).items.map(({ document }) => document.id);
    assert.equal(ids.length, 1, 'the id of a document that this reader never saw');
  });

  it('tells a deletion that was undone before it was read, with who did it', async () => {
    const ada = await read();
    await admin.create('a/p.md', 'one');
    await ada.catchUp();
    await admin.delete('a/p.md');
    await admin.undelete('a/p.md');
    const items = (await ada.page()).items.map(({ kind, document, actor }) => [
      kind,
      document.location,
      document.etag === null,
      actor?.id,
    ]);
    assert.deepEqual(items, [
      ['deleted', 'a/p.md', true, admin.id],
      ['undeleted', 'a/p.md', false, admin.id],
    ]);
    assert.deepEqual(
      (await ada.page({ kinds: new Set(['deleted']) })).items.map(({ kind }) => kind),
      ['deleted'],
    );
    await ada.catchUp();
    assert.deepEqual([...ada.mirror.values()].length, 1, 'a copy has it again');
  });

  it('does not tell an undone deletion where the caller cannot see now', async () => {
    const ada = await read('a');
    await admin.create('a/p.md', 'one');
    await ada.catchUp();
    await admin.move('a/p.md', 'b', true);
    await admin.delete('b/p.md');
    await admin.undelete('b/p.md');
    await admin.move('b/p.md', 'a', true);
    assert.deepEqual(await ada.news(), ['entered a/p.md']);
  });

  it('tells each kind of change with the present place', async () => {
    const ada = await read();
    await admin.create('a/p.md', 'one');
    assert.deepEqual(await ada.news(), ['created a/p.md']);
    await admin.update('a/p.md', 'two');
    assert.deepEqual(await ada.news(), ['updated a/p.md']);
    await admin.rename('a/p.md', 'q.md', true);
    assert.deepEqual(await ada.news(), ['renamed a/q.md']);
    await admin.move('a/q.md', 'b', true);
    assert.deepEqual(await ada.news(), ['moved b/q.md']);
    await admin.move('b', 'c', true);
    assert.deepEqual(await ada.news(), ['moved c/b/q.md']);
    await admin.rename('c', 'd', true);
    assert.deepEqual(await ada.news(), ['renamed d/b/q.md']);
    const { items } = await admin.history('d/b/q.md');
    const first = items.findLast((entry) => entry.type === 'version');
    await admin.restore('d/b/q.md', first?.version.id ?? '');
    assert.deepEqual(await ada.news(), ['restored d/b/q.md']);
    await admin.labels('set', 'd/b/q.md', 'draft');
    await admin.labels('set', 'd/b/q.md', 'draft');
    assert.deepEqual(await ada.news(), ['label_set d/b/q.md']);
    const { threadId } = await admin.comment('d/b/q.md', 'why?');
    await admin.resolve('d/b/q.md', threadId);
    assert.deepEqual(await ada.news(), ['comment_added d/b/q.md', 'comment_settled d/b/q.md']);
    const { id } = await admin.claim('d/b/q.md');
    await admin.release(id);
    assert.deepEqual(await ada.news(), ['claimed d/b/q.md', 'claim_ended d/b/q.md']);
    await admin.delete('d/b/q.md');
    assert.deepEqual(await ada.news(), ['deleted d/b/q.md']);
    await admin.undelete('d/b/q.md');
    assert.deepEqual(await ada.news(), ['undeleted d/b/q.md']);
  });

  it('tells many documents of one commit each by itself, however small the pages are', async () => {
    const ada = await read();
    const names = Array.from({ length: 7 }, (_, index) => `${index}.md`);
    await admin.perform(importDocuments, {
      into: parseFolderLocation('in'),
      files: names.map((name) => ({ location: parseLocation(`in/${name}`), content: { bytes: Buffer.from(name) } })),
      message: 'an import',
    });
    assert.deepEqual(
      await ada.news(2),
      names.map((name) => `created in/${name}`),
    );
    await admin.deleteFolder('in');
    assert.deepEqual(
      (await ada.news(3)).toSorted(),
      names.map((name) => `deleted in/${name}`),
    );
  });

  it('says who did it, when, and which version it made', async () => {
    const ada = await read();
    const ben = await addClient({ service: test, workspace: test.workspace }, 'Ben', 'editor');
    const { current } = await ben.create('p.md');
    const [item] = await ada.catchUp();
    assert.equal(item?.actor?.displayName, 'Ben');
    assert.equal(item?.at, test.clock.now());
    assert.equal(item?.version, current.id);
    assert.equal(item?.document.etag, current.id);
  });

  it('tells that a claim has run out', async () => {
    const ada = await read();
    await admin.create('p.md');
    await admin.claim('p.md', undefined, 60);
    await ada.catchUp();
    test.clock.advance(hour);
    const { tables } = test.workspace.view(operator);
    assert.equal(tables.claims.hasLapsed(test.clock.now()), true);
    await test.workspace.journal.write({
      run: (transaction) => {
        for (const document of transaction.tables.claims.lapse(transaction.now, 10)) {
          transaction.tables.activities.add({ kind: 'claim_ended', document, actor: null });
        }
      },
    });
    assert.deepEqual(await ada.news(), ['claim_ended p.md']);
    assert.equal(test.workspace.view(operator).tables.claims.hasLapsed(test.clock.now()), false);
  });

  it('lets documents enter and leave with grants, groups and moves', async () => {
    const ada = await read('a');
    await admin.create('b/p.md');
    assert.deepEqual(await ada.news(), []);
    await test.grant('reader', asPrincipal(ada), 'b');
    assert.deepEqual(await ada.news(), ['entered b/p.md']);
    await test.revoke('reader', asPrincipal(ada), 'b');
    assert.deepEqual(await ada.news(), ['left b/p.md']);
    const inner = await test.group('inner', asPrincipal(ada));
    const outer = await test.group('outer');
    await test.grant('editor', { type: 'group', id: outer }, 'b');
    assert.deepEqual(await ada.news(), []);
    await test.join(outer, { type: 'group', id: inner });
    assert.deepEqual(await ada.news(), ['entered b/p.md']);
    await test.leave(outer, { type: 'group', id: inner });
    assert.deepEqual(await ada.news(), ['left b/p.md']);
    await admin.move('b/p.md', 'a', true);
    assert.deepEqual(await ada.news(), ['entered a/p.md']);
    await admin.move('a/p.md', 'c', true);
    assert.deepEqual(await ada.news(), ['left a/p.md']);
    await test.grant('reader', asPrincipal(ada), 'c/p.md', 'document');
    assert.deepEqual(await ada.news(), ['entered c/p.md']);
  });

  it('tells a document that moved away, and whose place was then taken away, as gone', async () => {
    const ada = await read('a');
    await admin.create('a/x/p.md');
    await ada.catchUp();
    await test.revoke('reader', asPrincipal(ada), 'a');
    await admin.move('a/x', 'hidden', true);
    await admin.move('hidden/x/p.md', 'deep', true);
    assert.deepEqual(await ada.news(), ['left a/x/p.md']);
  });

  it('tells nothing of what a caller may not read now, though it could then', async () => {
    const ada = await read('a');
    await admin.create('a/p.md');
    await admin.update('a/p.md', 'more');
    await test.revoke('reader', asPrincipal(ada), 'a');
    assert.deepEqual(await ada.news(), ['left a/p.md']);
    await admin.update('a/p.md', 'and more');
    assert.deepEqual(await ada.news(), []);
  });

  it('lets an erased document leave without its place, for those alone who could read it', async () => {
    const [ada, ben] = [await read('a'), await read('b', 'ben')];
    await admin.create('a/secret-name.md');
    await admin.create('c/other.md');
    await ada.catchUp();
    const behind = new Consumer(test, ada.client.id);
    behind.cursor = ada.cursor;
    const { id } = await eraseAt(test.workspace, 'a/secret-name.md');
    assert.deepEqual(await ada.news(), ['left *']);
    await test.workspace.eraser.finished(id);
    assert.deepEqual(await behind.news(), ['left *']);
    assert.deepEqual([...behind.mirror], []);
    assert.deepEqual(await ben.news(), []);
  });

  it('tells that an erased document left to someone with a grant on it alone', async () => {
    await admin.create('c/granted.md');
    const rita = await read('b', 'rita');
    await test.grant('reader', asPrincipal(rita), 'c/granted.md', 'document');
    assert.deepEqual(await rita.news(), ['entered c/granted.md']);
    const { id } = await eraseAt(test.workspace, 'c/granted.md');
    await test.workspace.eraser.finished(id);
    assert.deepEqual(await rita.news(), ['left *']);
  });

  it('lets a principal that was disabled begin again where it was', async () => {
    const ada = await read('a');
    await admin.create('a/p.md');
    await ada.catchUp();
    await admin.perform(setPrincipalState, { principalId: ada.client.id, disabled: true });
    await admin.rename('a/p.md', 'q.md', true);
    await admin.perform(setPrincipalState, { principalId: ada.client.id, disabled: false });
    assert.deepEqual(await ada.news(), ['entered a/q.md']);
  });

  it('begins with everything in reach by its place, and with a place alone for those who ask for it', async () => {
    for (const place of ['b/2.md', 'a/1.md', 'a/c/3.md', 'c/4.md']) await admin.create(place);
    const ada = await read('a');
    await test.grant('reader', asPrincipal(ada), 'b/2.md', 'document');
    ada.cursor = '';
    assert.deepEqual(await ada.news(1), ['entered a/1.md', 'entered a/c/3.md', 'entered b/2.md']);
    const below = new Consumer(test, ada.client.id, 'a/c');
    assert.deepEqual(await below.news(), ['entered a/c/3.md']);
    const one = new Consumer(test, ada.client.id, 'b/2.md');
    assert.deepEqual(await one.news(), ['entered b/2.md']);
  });

  it('misses nothing that happens during its first listing', async () => {
    for (const name of ['1', '2', '3', '4']) await admin.create(`a/${name}.md`);
    const ada = await read('a');
    ada.cursor = '';
    await ada.follow(2);
    await admin.move('a/4.md', 'a/0', true);
    await admin.delete('a/1.md');
    await admin.rename('a', 'b', true);
    await ada.catchUp(2);
    assert.deepEqual(new Map(ada.mirror), ada.listing());
    assert.equal(ada.mirror.size, 3);
  });

  it('gives the kinds that are asked for, with the same ids', async () => {
    const ada = await read();
    await admin.create('p.md');
    await admin.update('p.md', 'two');
    await admin.labels('add', 'p.md', 'draft');
    const all = await ada.page();
    const some = await ada.page({ kinds: new Set(['updated', 'label_set']) });
    assert.deepEqual(
      some.items,
      all.items.filter(({ kind }) => kind !== 'created'),
    );
    assert.equal(some.isCurrent, true);
  });

  it('refuses positions that are not of this file and its past', async () => {
    const ada = await read();
    const other = await openTestService();
    try {
      const stranger = new Consumer(other, operator.principalId);
      stranger.beginNow();
      const bytes = Buffer.from(ada.cursor, 'base64url');
      const ofLater = Buffer.from(bytes);
      ofLater.writeUIntBE(2 ** 40, 9, 6);
      const later = Buffer.from(bytes);
      later.writeUIntBE(2 ** 40, 15, 6);
      const unknown = Buffer.from(bytes);
      unknown.writeUInt8(9, 0);
      const hostile = [
        stranger.cursor,
        'x',
        ada.cursor.slice(1),
        `${ada.cursor}AAAA`,
        `${ada.cursor}=`,
        ...[ofLater, later, unknown].map((each) => each.toString('base64url')),
      ];
      for (const after of hostile) {
        assert.equal(await outcomeOf(ada.page({ after })), 'INVALID_REQUEST bad_cursor', after);
      }
      const strange = Buffer.from(bytes);
      strange.writeUInt8(1, bytes.length - 1);
      for (const part of [0, 1, 2, 3, 4, 5, 6, 7, 2 ** 47]) {
        strange.writeUIntBE(part, 21, 6);
        for (const number of [0, 1, 2 ** 47]) {
          strange.writeUIntBE(number, 27, 6);
          strange.writeUIntBE(number, 33, 6);
          const page = await ada.page({ after: strange.toString('base64url') });
          assert.equal(page.isCurrent, true, `part ${part}, number ${number}`);
        }
      }
    } finally {
      await other.close();
    }
  });

  it('refuses positions of before a rebuild, and goes on after it', async () => {
    const ada = await read();
    await admin.create('a/p.md');
    await eraseAt(test.workspace, 'a/p.md').then(({ id }) => test.workspace.eraser.finished(id));
    await admin.create('a/q.md');
    await rebuild(test.workspace, operator);
    assert.equal(await outcomeOf(ada.page()), 'INVALID_REQUEST bad_cursor');
    ada.cursor = '';
    assert.deepEqual(await ada.news(), ['entered a/q.md']);
    await admin.update('a/q.md', 'more');
    assert.deepEqual(await ada.news(), ['updated a/q.md']);
  });

  it('reads a long page in many steps, each with the rights of its moment', async () => {
    const { id } = await addClient({ service: test, workspace: test.workspace }, 'eve');
    const eve = new Consumer(test, id);
    const count = 1500;
    for (let part = 0; part < 3; part++) {
      await admin.perform(importDocuments, {
        into: parseFolderLocation(`in/${part}`),
        files: Array.from({ length: count / 3 }, (_, index) => ({
          location: parseLocation(`in/${part}/${index}.md`),
          content: { bytes: Buffer.from(String(index)) },
        })),
        message: null,
      });
    }
    eve.beginNow();
    await test.grant('reader', { type: 'principal', id }, 'in');
    let steps = 0;
    const { workspace } = test;
    const { caller } = eve.client;
    const view = (): View => {
      steps += 1;
      return workspace.view(caller);
    };
    const query = { location: rootLocation, kinds: null, after: eve.cursor, limit: count };
    const { items, isCurrent } = await readFeed({ principalId: id, view }, query);
    assert.deepEqual([items.length, isCurrent], [count, true]);
    assert.ok(steps >= count / 100, `${steps} steps`);
    steps = 0;
    const revoking = readFeed(
      {
        principalId: id,
        view: () => {
          if (steps === 3) void test.revoke('reader', { type: 'principal', id }, 'in');
          return view();
        },
      },
      query,
    );
    const kinds = new Set((await revoking).items.map(({ kind }) => kind));
    assert.deepEqual(kinds, new Set(['left']), 'at the end of the page nothing of it may be read any more');
  });

  it('has positions of one length, whatever happened', async () => {
    const ada = await read('a');
    const before = ada.cursor.length;
    for (let index = 0; index < 30; index++) await admin.create(`b/${index}.md`);
    await ada.catchUp();
    assert.equal(ada.cursor.length, before);
  });

  const asPrincipal = ({ client }: Consumer) => ({ type: 'principal', id: client.id }) as const;

  /** A reader of a folder, who begins now. */
  async function read(folder = '', name = 'ada'): Promise<Consumer> {
    const { id } = await addClient({ service: test, workspace: test.workspace }, name, 'reader', folder);
    const consumer = new Consumer(test, id);
    consumer.beginNow();
    return consumer;
  }
});
