import assert from 'node:assert/strict';
import type { ReadBriefInput } from '../../lib/operations/history/find-brief-bounds.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSidecar } from '../../lib/sidecar/sidecar.js';
import { briefStatements, BriefTable } from '../../lib/sidecar/tables/brief-table.js';
import { HistoryTable } from '../../lib/sidecar/tables/history-table.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, describeChange, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { Sqlite } from '../support/store/sqlite.js';

const minute = 60_000;
const day = 24 * 60 * minute;
/** The time for which a brief is given again. */
const soon = 10 * minute;

describe('a brief', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;
  let boss: Client;

  beforeEach(async () => {
    service = await openTestService();
    ada = await add('Ada', 'editor', 'a');
    ben = await add('Ben', 'reader', 'a');
    boss = await add('Boss', 'approver');
    await ada.create('a/x.md', 'text');
    await ada.create('a/y.md', 'text');
  });
  afterEach(() => service.close());

  it('lists each changed document once, the last change first, with the writers and the number of changes', async () => {
    await briefOf(ben);
    await ada.update('a/x.md', 'two');
    await ada.create('a/new.md');
    await boss.update('a/x.md', 'three');
    await ada.delete('a/y.md');
    await ada.create('a/short.md');
    await ada.delete('a/short.md');
    assert.deepEqual(await newsOf(ben), [
      'deleted a/y.md by Ada',
      'changed a/x.md (2 versions) by Boss, Ada',
      'created a/new.md by Ada',
    ]);
  });

  it('begins at the end of the last one, by default', async () => {
    assert.deepEqual(await newsOf(ben, { keepsMark: true }), ['created a/y.md by Ada', 'created a/x.md by Ada']);
    assert.equal((await newsOf(ben)).length, 2);
    assert.deepEqual(await newsOf(ben), []);
    await ada.update('a/x.md', 'two');
    assert.deepEqual(await newsOf(ben, { keepsMark: true }), ['changed a/x.md by Ada']);
    assert.deepEqual(await newsOf(ben, { location: parseFolderLocation('a') }), ['changed a/x.md by Ada']);
    assert.deepEqual(await newsOf(ben), ['changed a/x.md by Ada']);
    assert.deepEqual(await newsOf(ben), []);
    assert.equal((await newsOf(ada)).length, 2, 'each has a mark of its own');
  });

  it('continues from the position of an earlier one, whatever other briefs followed', async () => {
    const { position } = await briefOf(ben);
    await ada.update('a/x.md', 'two');
    await briefOf(ben);
    await ada.update('a/y.md', 'two');
    assert.deepEqual(await newsOf(ben, { since: position, keepsMark: true }), [
      'changed a/y.md by Ada',
      'changed a/x.md by Ada',
    ]);
    for (const since of ['', 'x', `${position}0`, '0'.repeat(16)])
      assert.equal(await outcomeOf(briefOf(ben, { since })), 'INVALID_REQUEST bad_cursor');
  });

  it('begins at a time, and the first one a week ago', async () => {
    service.clock.advance(4 * day);
    const time = service.clock.now();
    await ada.rename('a/y.md', 'z.md');
    service.clock.advance(2 * day);
    await ada.update('a/x.md', 'two');
    const opened = { keepsMark: true } as const;
    assert.deepEqual(await newsOf(ben, { ...opened, since: time }), [
      'changed a/x.md by Ada',
      'moved a/z.md (from a/y.md) by Ada',
    ]);
    assert.deepEqual(await newsOf(ben, { ...opened, since: time + 1 }), ['changed a/x.md by Ada']);
    assert.deepEqual(await newsOf(ben, { ...opened, since: service.clock.now() }), ['changed a/x.md by Ada']);
    service.clock.advance(2 * day);
    assert.deepEqual(await newsOf(ben), ['changed a/x.md by Ada', 'moved a/z.md (from a/y.md) by Ada']);
    for (const since of [service.clock.now() + 1, -1, 0.5])
      assert.equal(await outcomeOf(briefOf(ben, { since })), 'INVALID_REQUEST bad_field');
  });

  it('does not move the mark over changes that it left out', async () => {
    await briefOf(ben);
    service.clock.advance(minute);
    await ada.update('a/x.md', 'two');
    service.clock.advance(minute);
    await newsOf(ben, { since: service.clock.now() });
    assert.deepEqual(await newsOf(ben), ['changed a/x.md by Ada']);
  });

  it('lists undeleted documents and restored versions', async () => {
    const first = (await ada.record('a/x.md')).current.id;
    await ada.update('a/x.md', 'two');
    await ada.delete('a/y.md');
    await briefOf(ben);
    await ada.undelete('a/y.md');
    await ada.restore('a/x.md', first);
    assert.deepEqual(await newsOf(ben), ['restored a/x.md by Ada', 'restored a/y.md by Ada']);
  });

  it('shows a folder moved, deleted or undeleted as one', async () => {
    await ada.create('a/f/one.md');
    await ada.create('a/f/two.md');
    await briefOf(ben);
    await ada.rename('a/f', 'g');
    await ada.rename('a/g', 'h');
    assert.deepEqual(await newsOf(ben), ['moved a/h/ (from a/f) by Ada']);
    await ada.deleteFolder('a/h');
    assert.deepEqual(await newsOf(ben), ['deleted a/h/ by Ada']);
    await ada.undeleteFolder('a/h');
    assert.deepEqual((await newsOf(ben)).toSorted(), ['restored a/h/one.md by Ada', 'restored a/h/two.md by Ada']);
    await ada.deleteFolder('a/h');
    await ada.undeleteFolder('a/h');
    assert.equal((await newsOf(ben)).length, 2, 'nothing is told to be gone that is there');
  });

  it('follows a folder whose parent was moved after it', async () => {
    await boss.create('a/f/g/one.md');
    await briefOf(boss);
    await boss.rename('a/f/g', 'h');
    await boss.rename('a/f', 'e');
    assert.deepEqual(await newsOf(boss), ['moved a/e/ (from a/f) by Boss', 'moved a/e/h/ (from a/f/g) by Boss']);
  });

  it('shows those who reach only a part of a moved folder the move of that part', async () => {
    await boss.create('far/f/one.md');
    await boss.create('far/f/deep/two.md');
    const cem = await add('Cem', 'reader', 'far/f/deep');
    await service.grant('reader', { type: 'principal', id: cem.id }, 'far/f/one.md', 'document');
    await briefOf(cem);
    await boss.rename('far/f', 'g');
    const expected = ['moved far/g/deep/ by Boss', 'moved far/g/one.md by Boss'];
    assert.deepEqual(await newsOf(cem, { keepsMark: true }), expected);
    const paged: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Awaited<ReturnType<Client['brief']>> = await briefOf(cem, { after, limit: 1, keepsMark: true });
      paged.push(...page.changes.map(describeChange));
      after = page.next;
    }
    assert.deepEqual(paged, expected);
  });

  it('lists a document carried by two folders, one in the other, once', async () => {
    await boss.create('far/f/deep/two.md');
    const cem = await add('Cem');
    await service.grant('reader', { type: 'principal', id: cem.id }, 'far/f/deep/two.md', 'document');
    await briefOf(cem);
    await boss.rename('far/f/deep', 'down');
    await boss.rename('far/f', 'g');
    assert.deepEqual(await newsOf(cem), ['moved far/g/down/two.md by Boss']);
  });

  it('never names lost documents, nor an origin out of reach', async () => {
    await boss.create('far/came.md');
    await briefOf(ben);
    await boss.update('a/x.md', 'two');
    await boss.move('a/x.md', 'far', true);
    await boss.move('far/came.md', 'a', true);
    assert.deepEqual(await newsOf(ben, { keepsMark: true }), ['moved a/came.md by Boss']);
    assert.deepEqual(await newsOf(boss, { location: parseFolderLocation('a'), since: 0 }), [
      'created a/came.md by Boss',
      'created a/y.md by Ada',
    ]);
    await boss.delete('far/x.md');
    assert.deepEqual(await newsOf(ben, { keepsMark: true }), ['moved a/came.md by Boss']);
    await service.revoke('reader', { type: 'principal', id: ben.id }, 'a');
    const brief = await briefOf(ben);
    assert.deepEqual([brief.changes, brief.surroundings?.reach], [[], []]);
  });

  it('states the reader’s reach, in few places', async () => {
    await service.grant('reader', { type: 'principal', id: ada.id }, 'a/deep');
    await service.grant('approver', { type: 'principal', id: ada.id }, 'a/top');
    await service.grant('reader', { type: 'principal', id: ada.id }, 'a/x.md', 'document');
    await boss.create('far/one.md');
    await service.grant('reader', { type: 'principal', id: ada.id }, 'far/one.md', 'document');
    const { you, surroundings } = await briefOf(ada);
    assert.deepEqual(you, { id: ada.id, kind: 'person', displayName: 'Ada' });
    assert.deepEqual(
      surroundings?.reach.map(({ location, role }) => `${role} ${location}`),
      ['editor a', 'approver a/top', 'reader far/one.md'],
    );
  });

  it('lists claims: the reader’s own, lapsed ones, and those of others on documents it wrote to', async () => {
    const eve = await add('Eve', 'editor', 'a');
    const claims = async (client: Client) => {
      const { surroundings } = await client.brief();
      return [
        surroundings?.ownClaims.map(({ location, standing }) => `${location} ${standing}`),
        surroundings?.claimsOfOthers.map(({ location, holder }) => `${location} ${holder.displayName}`),
      ];
    };
    await eve.claim('a/x.md', undefined, soon / 1000);
    service.clock.advance(1);
    await eve.claim('a/y.md', undefined, 3600);
    assert.deepEqual(await claims(ada), [[], ['a/x.md Eve', 'a/y.md Eve']]);
    assert.deepEqual(await claims(boss), [[], []]);
    assert.deepEqual(await claims(eve), [['a/y.md active', 'a/x.md active'], []]);
    service.clock.advance(soon - 1);
    assert.deepEqual(await claims(eve), [['a/y.md active', 'a/x.md expired'], []]);
    service.clock.advance(1);
    assert.deepEqual(await claims(eve), [['a/y.md active', 'a/x.md expired'], []]);
    service.clock.advance(soon);
    assert.deepEqual(await claims(eve), [['a/y.md active'], []]);
    assert.deepEqual(await claims(ada), [[], ['a/y.md Eve']]);
  });

  it('lists a claim that lapsed while the clock was further back than at the last one', async () => {
    const eve = await add('Eve', 'editor', 'a');
    await briefOf(eve);
    service.clock.advance(-day);
    await eve.claim('a/x.md', undefined, soon / 1000);
    const { id } = await eve.claim('a/y.md', undefined, soon / 1000);
    await boss.breakClaim('a/y.md', id);
    service.clock.advance(2 * soon);
    const { surroundings } = await eve.brief();
    assert.deepEqual(surroundings?.ownClaims.map(({ location, standing }) => `${location} ${standing}`).toSorted(), [
      'a/x.md expired',
      'a/y.md broken',
    ]);
  });

  it('lists unread messages, and comments addressed to the reader since the last', async () => {
    for (let count = 1; count <= 11; count += 1) await ada.send([ben.id], `message ${count}`);
    await ada.comment('a/x.md', 'Ben?', { mentions: [ben.id] });
    service.clock.advance(1);
    const { surroundings, comments } = await briefOf(ben);
    assert.equal(surroundings?.messages.length, 10);
    assert.equal(surroundings?.messages[0]?.preview, 'message 11');
    assert.equal(surroundings?.hasMoreMessages, true);
    assert.deepEqual(
      comments.map(({ comment, location, why }) => [comment.text, location, why]),
      [['Ben?', 'a/x.md', 'mention']],
    );
    service.clock.advance(minute);
    const later = await briefOf(ben);
    assert.deepEqual([later.surroundings?.messages.length, later.comments], [10, []]);
  });

  it('repeats the whole last one within ten minutes, and then continues from it', async () => {
    await briefOf(ben);
    await ada.update('a/x.md', 'two');
    await ada.comment('a/x.md', 'Ben?', { mentions: [ben.id] });
    const lost = await ben.brief();
    assert.equal(lost.isRepeat, false);
    service.clock.advance(soon - 1);
    await ada.update('a/y.md', 'two');
    const again = await ben.brief();
    assert.deepEqual(again.changes.map(describeChange), ['changed a/y.md by Ada', 'changed a/x.md by Ada']);
    assert.deepEqual([again.isRepeat, again.since, again.comments.length], [true, lost.since, 1]);
    // A caller that goes on from a position has received it.
    const next = await ben.brief({ since: lost.position, keepsMark: true });
    assert.deepEqual([next.isRepeat, next.changes.map(describeChange)], [false, ['changed a/y.md by Ada']]);
    assert.deepEqual(next.comments, []);
    // The second answer may be lost, too: a brief from the end of the first repeats everything once more.
    service.clock.advance(1);
    assert.deepEqual(await newsOf(ben), ['changed a/y.md by Ada']);
    assert.deepEqual(await newsOf(ben), []);
  });

  it('repeats the whole first one, and does not wait for a clock that was set back', async () => {
    assert.equal((await ben.news()).length, 2);
    assert.equal((await ben.news()).length, 2);
    service.clock.advance(-minute);
    assert.deepEqual(await ben.news(), []);
  });

  it('lists all comments addressed to the reader, page by page where they are many, each once', async () => {
    await briefOf(ben);
    for (let count = 1; count <= 45; count += 1) await ada.comment('a/x.md', `${count}`, { mentions: [ben.id] });
    await ada.update('a/x.md', 'two');
    const texts: string[] = [];
    const sizes: unknown[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Awaited<ReturnType<Client['brief']>> = await ben.brief({ after });
      texts.push(...page.comments.map(({ comment }) => comment.text));
      sizes.push([page.changes.length, page.comments.length, page.hasMoreComments]);
      after = page.next;
      if (after !== null) await ada.comment('a/x.md', 'meanwhile', { mentions: [ben.id] });
    }
    assert.deepEqual(
      texts,
      Array.from({ length: 45 }, (_, index) => `${45 - index}`),
    );
    assert.deepEqual(sizes, [
      [1, 20, true],
      [0, 20, true],
      [0, 5, false],
    ]);
    service.clock.advance(soon);
    const later = await briefOf(ben);
    assert.deepEqual(
      later.comments.map(({ comment }) => comment.text),
      ['meanwhile', 'meanwhile'],
    );
  });

  it('shows a comment to people mentioned in a later edit, and not again to those who have seen it', async () => {
    const eve = await add('Eve', 'reader', 'a');
    const { id } = await ada.comment('a/x.md', 'Ben?', { mentions: [ben.id] });
    const before = await Promise.all([ben.brief(), eve.brief()]);
    assert.deepEqual(
      before.map(({ comments }) => comments.length),
      [1, 0],
    );
    service.clock.advance(soon);
    await ada.editComment('a/x.md', id, 'Ben or Eve?', [ben.id, eve.id]);
    const [told, news] = await Promise.all([briefOf(ben), briefOf(eve)]);
    assert.deepEqual(told.comments, []);
    assert.deepEqual(
      news.comments.map(({ comment, why, addressedAt }) => [comment.text, why, addressedAt]),
      [['Ben or Eve?', 'mention', news.until]],
    );
    assert.deepEqual(
      (await ben.addressed()).map(({ comment }) => comment.text),
      ['Ben or Eve?'],
    );
  });

  it('loses no comment to a deleted one, nor to a clock that was set back', async () => {
    const { id } = await ada.comment('a/x.md', 'first', { mentions: [ben.id] });
    await briefOf(ben);
    await ada.deleteComment('a/x.md', id);
    service.clock.advance(-day);
    await ada.comment('a/x.md', 'second', { mentions: [ben.id] });
    service.clock.advance(day);
    assert.deepEqual(
      (await briefOf(ben)).comments.map(({ comment }) => comment.text),
      ['second'],
    );
  });

  it('continues from positions of an earlier release', async () => {
    await ada.comment('a/x.md', 'old', { mentions: [ben.id] });
    service.clock.advance(1);
    const { position } = await briefOf(ben);
    await ada.comment('a/x.md', 'new', { mentions: [ben.id] });
    await ada.update('a/x.md', 'two');
    const { changes, comments } = await briefOf(ben, { since: position.slice(0, 32) });
    assert.deepEqual(changes.map(describeChange), ['changed a/x.md by Ada']);
    assert.deepEqual(
      comments.map(({ comment }) => comment.text),
      ['new'],
    );
  });

  it('has pages that continue where they ended, though changes go on meanwhile', async () => {
    for (let count = 1; count <= 5; count += 1) await ada.create(`a/n${count}.md`);
    const page = (after: string): Promise<Awaited<ReturnType<Client['brief']>>> => briefOf(ben, { after, limit: 3 });
    const first = await page('');
    assert.deepEqual(
      first.changes.map(({ location }) => location),
      ['a/n5.md', 'a/n4.md', 'a/n3.md'],
    );
    assert.notEqual(first.surroundings, null);
    await ada.update('a/n2.md', 'two');
    const second = await page(first.next ?? '');
    assert.deepEqual(
      second.changes.map(({ location }) => location),
      ['a/n1.md', 'a/y.md', 'a/x.md'],
    );
    assert.deepEqual([second.next, second.surroundings], [null, null]);
    assert.deepEqual(await newsOf(ben), ['changed a/n2.md by Ada']);
    assert.equal(first.next?.length, 74);
    assert.equal(await outcomeOf(briefOf(ben, { after: 'x' })), 'INVALID_REQUEST bad_cursor');
  });

  it('costs as much as the changes since, for any length of the history', async () => {
    const readRows = async (input: Partial<ReadBriefInput>): Promise<number> => {
      let rows = 0;
      const { changesBefore } = BriefTable.prototype;
      const { versionsBefore } = HistoryTable.prototype;
      BriefTable.prototype.changesBefore = function (...args) {
        const found = changesBefore.apply(this, args);
        rows += found.length;
        return found;
      };
      HistoryTable.prototype.versionsBefore = function (...args) {
        const found = versionsBefore.apply(this, args);
        rows += found.length;
        return found;
      };
      try {
        await briefOf(ben, input);
      } finally {
        BriefTable.prototype.changesBefore = changesBefore;
        HistoryTable.prototype.versionsBefore = versionsBefore;
      }
      return rows;
    };
    await briefOf(ben);
    await ada.update('a/x.md', 'two');
    const few = await readRows({});
    for (let count = 1; count <= 40; count += 1) await ada.update('a/x.md', `text ${count}`);
    await briefOf(ben);
    await ada.update('a/x.md', 'three');
    assert.equal(await readRows({}), few);
  });

  it('finds its rows by indexes in their order', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cartulary-plan-'));
    const file = path.join(folder, 'sidecar.sqlite');
    openSidecar(file, path.join(process.cwd(), 'schema', 'sidecar')).close();
    const connection = new Sqlite(file, { readonly: true });
    try {
      for (const [name, statement] of Object.entries(briefStatements)) {
        const plan = connection.prepare(`EXPLAIN QUERY PLAN ${statement.replace(/\?|@\w+/g, 'NULL')}`).all() as {
          detail: string;
        }[];
        for (const { detail } of plan) {
          // An inner search found the scanned rows.
          assert.doesNotMatch(detail, /^SCAN (?!e$|CONSTANT ROW|\(subquery)|TEMP B-TREE/, `${name}: ${detail}`);
        }
      }
    } finally {
      connection.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const add = (name: string, role?: 'reader' | 'editor' | 'approver', folder?: string): Promise<Client> =>
    addClient({ service, workspace: service.workspace }, name, role, folder);

  /** A brief without a repetition: the next one comes later. */
  const briefOf = async (client: Client, input: Partial<ReadBriefInput> = {}): ReturnType<Client['brief']> => {
    const brief = await client.brief(input);
    if (input.keepsMark !== true) service.clock.advance(soon);
    return brief;
  };

  const newsOf = async (client: Client, input: Partial<ReadBriefInput> = {}): Promise<string[]> =>
    (await briefOf(client, input)).changes.map(describeChange);
});
