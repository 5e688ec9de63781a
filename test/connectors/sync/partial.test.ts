import assert from 'node:assert/strict';
import { ForbiddenFile, UnreadableFile } from '../../../lib/connectors/source.js';
import { describeTroubled, findTroubledConnectors } from '../../../lib/view/find-troubled-connectors.js';
import { MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

const forbidden = new ForbiddenFile('this account may not read it');
const broken = new UnreadableFile('unreadable', 'status 500');

describe('a sync that cannot read every file', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    ({ id, source } = await world.connect());
    source.put('a.md');
    source.put('b.md');
  });
  afterEach(() => world.close());

  it('leaves the time of the last whole sync as it was', async () => {
    source.unreadable.set('b.md', forbidden);
    assert.equal((await world.sync(id)).outcome, 'partial');
    assert.equal(world.connector(id).syncedAt, null);
    source.unreadable.clear();
    assert.equal((await world.sync(id)).outcome, 'changed');
    const whole = world.connector(id).syncedAt;
    assert.equal(whole, world.service.clock.now());
    world.service.clock.advance(1000);
    source.unreadable.set('b.md', forbidden);
    source.put('b.md', 'later');
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await world.sync(id)).outcome, 'partial');
      assert.equal(world.connector(id).syncedAt, whole);
    }
  });

  it('fails and stops when the source forbids to read any file', async () => {
    for (const path of source.files.keys()) source.unreadable.set(path, forbidden);
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault, world.connector(id).state], ['failed', 'auth', 'stopped']);
    assert.match(run.message ?? '', /forbids it to read them.*right/);
    assert.equal(world.connector(id).syncedAt, null);
  });

  it('fails and is tried again when no file can be read for another reason', async () => {
    source.unreadable.set('a.md', forbidden);
    source.unreadable.set('b.md', broken);
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault, world.connector(id).state], ['failed', 'network', 'active']);
    assert.equal(world.connector(id).nextRunAt, world.service.clock.now() + 60_000);
    source.unreadable.clear();
    assert.equal((await world.sync(id)).outcome, 'changed');
    assert.equal(Object.keys(await world.mirrored()).length, 2);
  });

  it('fails when every file has changed and none can be read, and keeps the documents', async () => {
    await world.sync(id);
    for (const path of ['a.md', 'b.md']) {
      source.put(path, 'later');
      source.unreadable.set(path, forbidden);
    }
    assert.equal((await world.sync(id)).fault, 'auth');
    assert.deepEqual(await world.mirrored(), { 'a.md': 'text of a.md\n', 'b.md': 'text of b.md\n' });
  });

  it('does not stop for one forbidden file among others', async () => {
    source.unreadable.set('b.md', forbidden);
    for (let times = 0; times < 3; times += 1) {
      assert.equal((await world.sync(id)).outcome, 'partial');
      assert.equal(world.connector(id).state, 'active');
    }
  });

  it('is named to those who run the service after three in a row, until one reads everything', async () => {
    source.unreadable.set('b.md', forbidden);
    await world.sync(id);
    await world.sync(id);
    assert.deepEqual(troubles(), []);
    await world.sync(id);
    assert.equal(troubles().length, 1);
    assert.match(troubles()[0] ?? '', /^The mirror docs is not up to date: A file or folder could not be read\./);
    source.unreadable.clear();
    await world.sync(id);
    assert.deepEqual(troubles(), []);
  });

  /** What the status and the diagnosis say of the connectors. */
  const troubles = (): string[] => findTroubledConnectors(world.service.workspace.journal.reader).map(describeTroubled);
});
