import assert from 'node:assert/strict';
import { endOfFeed } from '../../lib/feed/feed-position.js';
import { readFeed } from '../../lib/feed/read-feed.js';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { perform } from '../../lib/operations/perform.js';
import { addClient, Client } from '../support/store/client.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { Consumer } from './feed-world.js';

describe('the cost of a page of the feed', () => {
  let test: TestService;
  let admin: Client;

  beforeEach(async () => {
    test = await openTestService();
    admin = new Client(test.workspace, operator.principalId);
  });
  afterEach(() => test.close());

  it('is one step for a caller without any grant, however much has happened', async () => {
    const { result: nobody } = await perform(test.workspace, operator, addPrincipal, {
      displayName: 'Nobody',
      kind: 'agent',
    });
    const consumer = new Consumer(test, nobody.id);
    consumer.beginNow();
    await admin.create('team/a.md', 'one');
    for (let round = 0; round < 250; round += 1) await admin.labels('set', 'team/a.md', `round-${round}`);
    let views = 0;
    const view = () => {
      views += 1;
      return test.workspace.view(consumer.client.caller);
    };
    const query = { location: rootLocation, kinds: null, limit: 100 };
    const page = await readFeed({ principalId: nobody.id, view }, { ...query, after: consumer.cursor });
    assert.deepEqual([page.items, page.isCurrent, views], [[], true, 1]);
    await test.grant('reader', { type: 'principal', id: nobody.id }, 'team');
    const granted = await readFeed({ principalId: nobody.id, view }, { ...query, after: consumer.cursor });
    assert.deepEqual(
      granted.items.map(({ kind, document }) => `${kind} ${document.location}`),
      ['entered team/a.md'],
    );
    assert.equal(views, 2);
    consumer.cursor = page.next;
    assert.deepEqual(await consumer.news(), ['entered team/a.md']);
  });

  it('is many short steps where a folder with many documents enters or moves', async () => {
    const count = 600;
    const files = Array.from({ length: count }, (_, index) => ({
      location: parseLocation(`big/${index % 3}/${index}.md`),
      content: { bytes: Buffer.from('text') },
    }));
    await perform(test.workspace, operator, importDocuments, { into: rootLocation, files, message: null });
    const { id } = await addClient({ service: test, workspace: test.workspace }, 'ada');
    const ada = new Consumer(test, id);
    ada.beginNow();
    const { caller } = ada.client;
    const readAll = async (): Promise<readonly [kinds: ReadonlySet<string>, items: number, steps: number]> => {
      let steps = 0;
      const view = () => {
        steps += 1;
        return test.workspace.view(caller);
      };
      const query = { location: rootLocation, kinds: null, limit: count, after: ada.cursor };
      const page = await readFeed({ principalId: id, view }, query);
      ada.cursor = page.next;
      return [new Set(page.items.map(({ kind }) => kind)), page.items.length, steps];
    };
    await test.grant('reader', { type: 'principal', id }, 'big');
    const [entered, gained, stepsOfGrant] = await readAll();
    assert.deepEqual([entered, gained], [new Set(['entered']), count]);
    assert.ok(stepsOfGrant >= count / 100, `${stepsOfGrant} steps`);
    await admin.rename('big', 'large', true);
    const [renamed, moved, stepsOfMove] = await readAll();
    assert.deepEqual([renamed, moved], [new Set(['renamed']), count]);
    assert.ok(stepsOfMove >= count / 100, `${stepsOfMove} steps`);
  });

  it('undoes the changes of many groups in many short steps', async () => {
    const id = await test.principal('Ada');
    const ada = new Consumer(test, id);
    ada.beginNow();
    for (let group = 0; group < 12; group += 1) {
      const groupId = await test.group(`Group ${group}`, { type: 'principal', id });
      for (let grant = 0; grant < 120; grant += 1) {
        await test.grant('reader', { type: 'group', id: groupId }, `team/${group}/${grant}`);
      }
    }
    ada.cursor = endOfFeed(test.workspace.view(ada.client.caller));
    const changed = 'team/0/0';
    await admin.create(`${changed}/a.md`, 'one');
    const rows: number[] = [];
    const view = () => {
      rows.push(0);
      const made = test.workspace.view(ada.client.caller);
      const { grants } = made.tables;
      grants.forSubjects = (principalId, groupIds) => {
        const found = Object.getPrototypeOf(grants).forSubjects.call(grants, principalId, groupIds);
        rows[rows.length - 1] += found.length;
        return found;
      };
      return made;
    };
    const query = { location: rootLocation, kinds: null, limit: 100, after: ada.cursor };
    const { items } = await readFeed({ principalId: id, view }, query);
    assert.deepEqual(
      items.map(({ kind, document }) => `${kind} ${document.location}`),
      [`created ${changed}/a.md`],
    );
    assert.ok(rows.length > 2, `${rows.length} steps`);
    assert.ok(Math.max(...rows) < 700, `${rows.join(', ')} grants in the steps`);
  });

  it('ends with the step in which its reader leaves, and its cursor goes on from there', async () => {
    const id = await test.principal('Ada');
    await test.grant('reader', { type: 'principal', id }, 'team');
    await admin.create('team/a.md', 'one');
    const ada = new Consumer(test, id);
    ada.beginNow();
    for (let round = 0; round < 250; round += 1) await admin.labels('set', 'team/a.md', `round-${round}`);
    const query = { location: rootLocation, kinds: new Set(['created'] as const), limit: 100 };
    await admin.create('team/b.md', 'two');
    let steps = 0;
    const view = () => {
      steps += 1;
      return test.workspace.view(ada.client.caller);
    };
    const left = { principalId: id, view, isWanted: () => steps < 2 };
    const early = await readFeed(left, { ...query, after: ada.cursor });
    assert.deepEqual([early.items, early.isCurrent, steps], [[], false, 2]);
    assert.notEqual(early.next, ada.cursor);
    const rest = await readFeed({ principalId: id, view }, { ...query, after: early.next });
    assert.deepEqual(
      rest.items.map(({ kind, document }) => `${kind} ${document.location}`),
      ['created team/b.md'],
    );
  });

  it('follows the number of changes of access, however often a group gets and loses a grant', async () => {
    await admin.create('team/a.md', 'one');
    const id = await test.principal('Ada');
    const group = await test.group('Team', { type: 'principal', id });
    const ada = new Consumer(test, id);
    ada.beginNow();
    const times = 150;
    for (let time = 0; time < times; time += 1) {
      await test.grant('reader', { type: 'group', id: group }, 'team');
      await test.revoke('reader', { type: 'group', id: group }, 'team');
    }
    await test.grant('reader', { type: 'group', id: group }, 'team');
    const { activities } = test.workspace.view(ada.client.caller).tables;
    let rows = 0;
    const counted =
      <Args extends unknown[], Row>(read: (...args: Args) => Row[]) =>
      (...args: Args): Row[] => {
        const found = read(...args);
        rows += found.length;
        return found;
      };
    activities.firstOfSubjectAfter = counted(activities.firstOfSubjectAfter.bind(activities));
    activities.ofSubjectBetween = counted(activities.ofSubjectBetween.bind(activities));
    const told = (await ada.news()).join(', ');
    assert.match(told, /^entered team\/a\.md, (entered team\/a\.md, )+entered team\/a\.md$/);
    assert.ok(rows > times && rows < 4 * times, `${rows} rows`);
  });
});
