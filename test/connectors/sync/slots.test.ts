import assert from 'node:assert/strict';
import { makeSyncSlots } from '../../../lib/connectors/schedule-syncs.js';
import { measureWorkspace } from '../../../lib/metrics/measure-workspace.js';
import { until } from '../../support/until.js';
import { MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

/** Never settles: a source that does not answer. */
const silence = new Promise<void>(() => undefined);
const soon = 1000;
const minute = 60_000;

describe('the slots of syncs, where sources are silent or slow', () => {
  let world: MirrorWorld;
  let ada: string;
  let grace: string;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    [ada, grace] = [(await world.service.person('approver')).id, (await world.service.person('approver')).id];
  });
  afterEach(() => world.close());

  it('leave room for others: three silent sources of one approver do not keep that of another waiting', async () => {
    const silent: string[] = [];
    for (const place of ['one', 'two', 'three']) silent.push(await connectSilent(place, ada));
    const other = await connect('other', grace);
    world.start({ slots: makeSyncSlots() });
    await until('it has ended', () => typeof world.lastRun(other.id)?.outcome === 'string', soon);
    assert.equal(silent.filter(hasBegun).length, 2);
    assert.equal(world.service.workspace.connectors.waiting, 1);
    const shown = [...measureWorkspace(world.service.workspace)].find(([{ name }]) => /connectors_waiting/.test(name));
    assert.equal(shown?.[1].get(''), 1);
  });

  it('leave room for other workspaces, whoever connects the silent sources of one', async () => {
    const slots = makeSyncSlots();
    const another = await MirrorWorld.open();
    try {
      for (const [index, place] of ['one', 'two', 'three', 'four', 'five'].entries()) {
        await connectSilent(place, index % 2 === 0 ? ada : grace);
      }
      const { id } = await another.connect();
      world.start({ slots });
      await until('three run', () => world.service.workspace.connectors.waiting === 2);
      another.start({ slots });
      await until('it has ended', () => typeof another.lastRun(id)?.outcome === 'string', soon);
    } finally {
      await another.close();
    }
  });

  it('are others for a source that failed or took more than a minute the last time, one for each who connects', async () => {
    const failing = await connect('failing', ada);
    failing.source.faults.open = new Error('It broke off.');
    const long = await connect('long', ada);
    long.source.before = (question) => {
      if (question === 'list') world.service.clock.advance(minute + 1);
    };
    const schedule = world.start({ slots: makeSyncSlots() });
    for (const { id } of [failing, long]) await world.ended(id, 1);
    const steady = await connect('steady', ada);
    schedule.wake();
    await world.ended(steady.id, 1);
    for (const { source } of [failing, long]) source.before = () => silence;
    const runAll = () =>
      world.service.workspace.journal.write({
        run({ tables, now }) {
          for (const { id } of tables.connectors.list('', 10)) {
            tables.connectors.setNextRun(id, { at: now, trigger: 'manual' });
          }
        },
      });
    await runAll();
    schedule.wake();
    await world.ended(steady.id, 2);
    // One of the two is silent now, and the other one waits for it.
    assert.equal([failing, long].filter(({ id }) => world.lastRun(id)?.number === 2).length, 1);
    assert.equal(world.service.workspace.connectors.waiting, 1);
    await runAll();
    schedule.wake();
    await world.ended(steady.id, 3);
  });

  it('are not held by a listing that gives a file now and then', async () => {
    const { id, source } = await connect('drip', ada);
    for (let index = 0; index < 2000; index += 1) source.put(`${String(index).padStart(4, '0')}.md`);
    const { clock } = world.service;
    const elapsed = clock.elapsed.bind(clock);
    let looks = 0;
    // Four minutes pass between two looks at the clock.
    clock.elapsed = () => elapsed() + (looks += 1) * 4 * minute;
    world.limits = { ...world.limits, entriesPerMinute: 1000 };
    world.start({ slots: makeSyncSlots() });
    const { outcome, fault, message } = await world.ended(id, 1);
    assert.deepEqual([outcome, fault], ['failed', 'network']);
    assert.match(message ?? '', /fewer than 1000 files a minute/);
    assert.equal(world.connector(id).state, 'active');
  });

  const hasBegun = (id: string): boolean => world.lastRun(id) !== undefined;

  async function connect(place: string, by: string): Promise<{ id: string; source: ScriptedSource }> {
    const connected = await world.connect(place, undefined, by);
    connected.source.put('a.md');
    return connected;
  }

  async function connectSilent(place: string, by: string): Promise<string> {
    const { id, source } = await connect(place, by);
    source.before = () => silence;
    return id;
  }
});
