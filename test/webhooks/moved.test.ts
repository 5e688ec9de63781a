import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { listWebhooks } from '../../lib/operations/webhooks/list-webhooks.js';
import { Actor, outcomeOf } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

describe('A webhook whose folder moves', function () {
  this.timeout(60_000);

  let world: HookedWorld;
  /** Who may move everything. */
  let root: Actor;

  beforeEach(async () => {
    seen.clear();
    world = await HookedWorld.open({ store: 'disk' });
    root = new Actor(world.test.workspace, operator.principalId);
  });
  afterEach(() => world.close());

  let id: string;
  const seen = new Set<string | undefined>();

  it('goes along with a rename, is told of it as of a change of each document, and goes on there', async () => {
    ({ id } = (await world.hook()).webhook);
    await root.rename('team', 'crew');
    assert.equal(place(), 'crew');
    assert.deepEqual(await told(1), ['document.renamed crew/start.md']);
    await world.ada.create('crew/next.md');
    assert.deepEqual(await told(1), ['document.created crew/next.md']);
    await root.create('team/other.md');
    await world.ada.update('crew/next.md', 'new');
    assert.deepEqual(await told(1), ['document.updated crew/next.md']);
  });

  it('goes along with the folder above it, there and back, and tells what changed in between by its new place', async () => {
    await world.ada.create('team/sub/a.md');
    ({ id } = (await world.hook({ location: parseFolderLocation('team/sub') })).webhook);
    world.receiver.answerWith(503);
    await world.ada.update('team/sub/a.md', 'two');
    await world.noted(id, 1);
    await root.rename('team', 'crew');
    await world.ada.create('crew/sub/b.md');
    await root.rename('crew', 'team');
    await world.ada.create('team/sub/c.md');
    await world.ada.create('team/beside.md');
    assert.equal(place(), 'team/sub');
    world.receiver.recover();
    world.receiver.received.length = 0;
    world.pass(5000);
    assert.deepEqual(await told(6), [
      'document.updated team/sub/a.md',
      'document.renamed team/sub/a.md',
      'document.created team/sub/b.md',
      'document.renamed team/sub/a.md',
      'document.renamed team/sub/b.md',
      'document.created team/sub/c.md',
    ]);
  });

  it('goes along with a move, also when the service is started again before it has told of it', async () => {
    await world.test.grant('approver', { type: 'principal', id: world.ada.caller.principalId }, 'archive');
    await root.create('archive/old.md');
    await world.ada.create('team/sub/a.md');
    ({ id } = (await world.hook({ location: parseFolderLocation('team/sub') })).webhook);
    world.receiver.answerWith(503);
    await world.ada.create('team/sub/b.md');
    await world.noted(id, 1);
    await root.move('team/sub', 'archive', true);
    await world.restart();
    root = new Actor(world.test.workspace, operator.principalId);
    world.receiver.recover();
    world.receiver.received.length = 0;
    world.pass(5000);
    assert.equal(place(), 'archive/sub');
    assert.deepEqual(await told(3), [
      'document.created archive/sub/b.md',
      'document.moved archive/sub/a.md',
      'document.moved archive/sub/b.md',
    ]);
    await world.ada.update('archive/old.md', 'new');
    await world.ada.update('archive/sub/a.md', 'new');
    assert.deepEqual(await told(1), ['document.updated archive/sub/a.md']);
  });

  it('stops where its owner is no approver, and those who are see it there', async () => {
    await world.ada.create('team/sub/a.md');
    await root.create('other/x.md');
    const bob = new Actor(world.test.workspace, (await world.test.person('approver', 'other', 'Bob')).id);
    ({ id } = (await world.hook({ location: parseFolderLocation('team/sub') })).webhook);
    await root.move('team/sub', 'other', true);
    await until('it is disabled', () => world.row(id).stopped === 'owner');
    assert.deepEqual(world.receiver.told(), []);
    const list = (by: Actor) => world.do(listWebhooks, { location: parseFolderLocation(''), after: '', limit: 10 }, by);
    assert.deepEqual((await list(world.ada)).items, []);
    assert.deepEqual(
      (await list(bob)).items.map(({ location }) => location),
      ['other/sub'],
    );
    assert.equal(await outcomeOf(bob.update('other/sub/a.md', 'new')), 'done');
  });

  it('tells each move of a document once, also where it moved with its folder and then by itself', async () => {
    for (const name of ['a', 'b']) await world.ada.create(`team/sub/${name}.md`);
    ({ id } = (await world.hook({ location: parseFolderLocation('team/sub') })).webhook);
    world.receiver.answerWith(503);
    await world.ada.update('team/sub/b.md', 'new');
    await world.noted(id, 1);
    await root.rename('team', 'crew');
    await root.rename('crew/sub/a.md', 'z.md');
    await root.createFolder('crew/sub/low');
    await root.move('crew/sub/b.md', 'crew/sub/low');
    world.receiver.recover();
    world.receiver.received.length = 0;
    world.pass(5000);
    await world.ada.create('crew/sub/last.md');
    await until('the last is told', () => world.receiver.told().includes('document.created crew/sub/last.md'));
    const all = await told(world.receiver.received.length);
    assert.deepEqual(
      [all[0], all.slice(1, 3).toSorted(), all.slice(3)],
      [
        'document.updated crew/sub/low/b.md',
        ['document.renamed crew/sub/low/b.md', 'document.renamed crew/sub/z.md'],
        ['document.renamed crew/sub/z.md', 'document.moved crew/sub/low/b.md', 'document.created crew/sub/last.md'],
      ],
    );
  });

  it('stays when only a document moves, or another folder whose name begins alike', async () => {
    await root.create('team-two/a.md');
    ({ id } = (await world.hook()).webhook);
    await root.rename('team-two', 'crew');
    assert.equal(place(), 'team');
    await root.move('team/start.md', 'crew', true);
    assert.equal(place(), 'team');
    assert.deepEqual(await told(1), ['document.left team/start.md']);
  });

  const place = (): string => world.row(id).location;

  /** The next messages, none of which came before. */
  async function told(count: number): Promise<readonly string[]> {
    await world.told(count);
    const all = world.receiver.told();
    for (const each of world.receiver.ids()) {
      assert.ok(!seen.has(each), `${String(each)} comes once`);
      seen.add(each);
    }
    world.receiver.received.length = 0;
    return all;
  }
});
