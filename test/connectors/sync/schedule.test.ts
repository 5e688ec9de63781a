import assert from 'node:assert/strict';
import { SourceFault } from '../../../lib/connectors/source.js';
import { syncLimits } from '../../../lib/connectors/sync/limits.js';
import { beginRun } from '../../../lib/operations/connectors/end-run.js';
import { until } from '../../support/until.js';
import { hour, MirrorWorld } from './mirror-world.js';
import type { ScriptedSource } from './scripted-source.js';

/** Never settles: a source that does not answer. */
const silence = new Promise<void>(() => undefined);

describe('the schedule of connectors', () => {
  let world: MirrorWorld;
  let id: string;
  let source: ScriptedSource;

  beforeEach(async () => {
    world = await MirrorWorld.open();
    ({ id, source } = await world.connect());
    source.put('a.md');
  });
  afterEach(() => world.close());

  it('begins the first run at once, and the next one after the interval', async () => {
    world.start();
    const first = await world.ended(id, 1);
    assert.deepEqual([first.outcome, first.trigger], ['changed', 'schedule']);
    assert.equal(world.connector(id).nextRunAt, world.service.clock.now() + hour);
    pass(hour - 1);
    assert.equal(world.lastRun(id)?.number, 1);
    pass(1);
    assert.equal((await world.ended(id, 2)).outcome, 'unchanged');
  });

  it('sets one timer for all that is to come', async () => {
    for (const place of ['one', 'two', 'three']) await world.connect(place);
    world.start();
    await until('all have run', () => world.log.filter(({ message }) => message === 'A sync has ended').length === 4);
    assert.equal(world.timers.count, 1);
  });

  it('runs one sync of a connector at a time, and a few over the service', async () => {
    for (const place of ['one', 'two', 'three']) (await world.connect(place)).source.before = () => silence;
    source.before = () => silence;
    const schedule = world.start();
    const { connectorRuns, connectors } = world.service.workspace.journal.reader;
    const running = (): number =>
      connectors.list('', 10).filter((each) => connectorRuns.list(each.id, 100, 10).length > 0).length;
    await until('two run', () => running() === 2);
    for (let times = 0; times < 5; times += 1) {
      await world.service.workspace.journal.write({
        run: ({ tables, now }) => {
          for (const each of tables.connectors.list('', 10)) {
            tables.connectors.setNextRun(each.id, { at: now, trigger: 'manual' });
          }
        },
      });
      schedule.wake();
    }
    assert.equal(running(), 2);
    assert.ok(connectors.list('', 10).every((each) => connectorRuns.list(each.id, 100, 10).length <= 1));
  });

  it('gives a free place to the next one', async () => {
    const others = await Promise.all(['one', 'two', 'three'].map((place) => world.connect(place)));
    world.start();
    for (const other of others) assert.equal((await world.ended(other.id, 1)).outcome, 'unchanged');
  });

  it('keeps a wish that came during a run', async () => {
    let goOn = (): void => undefined;
    source.before = (question) => (question === 'list' ? new Promise((resolve) => (goOn = resolve)) : undefined);
    world.start();
    await until('it lists', () => source.asked.includes('list'));
    await world.service.workspace.journal.write({
      run: ({ tables, now }) => tables.connectors.setNextRun(id, { at: now, trigger: 'webhook' }),
    });
    source.before = () => undefined;
    goOn();
    await world.ended(id, 2);
    assert.equal(world.lastRun(id)?.trigger, 'webhook');
  });

  it('lets a wish that came during a run wait as long as the source asks', async () => {
    source.before = async (question) => {
      if (question !== 'list') return;
      await world.service.workspace.journal.write({
        run: ({ tables, now }) => tables.connectors.setNextRun(id, { at: now, trigger: 'webhook' }),
      });
      throw new SourceFault('rate', 'The source asks us to wait.', { retryAfter: 600 });
    };
    world.start();
    await world.ended(id, 1);
    const { nextRunAt, nextTrigger } = world.connector(id);
    assert.deepEqual([nextRunAt, nextTrigger], [world.service.clock.now() + 600_000, 'webhook']);
  });

  for (const question of ['open', 'probe', 'list', 'read'] as const) {
    it(`ends a run at once when it is cancelled while the source is silent to "${question}"`, async () => {
      const before = (asked: string): Promise<void> | undefined => (asked === question ? silence : undefined);
      if (question !== 'probe') source.before = before;
      const schedule = world.start();
      if (question === 'probe') {
        await world.ended(id, 1);
        source.before = before;
        pass(hour);
      }
      await until(`it asks to ${question}`, () => source.asked.some((asked) => asked.startsWith(question)));
      await schedule.cancel(id);
      assert.equal(world.lastRun(id)?.outcome, 'cancelled');
      assert.equal(world.connector(id).nextRunAt, world.service.clock.now() + hour);
    });
  }

  it('leaves a connector as it is that was paused during its run', async () => {
    source.before = () => silence;
    const schedule = world.start();
    await until('it opens', () => source.asked.includes('open'));
    await world.service.workspace.journal.write({
      run: ({ tables }) => {
        tables.connectors.setState(id, 'paused', null);
        tables.connectors.setNextRun(id, { at: null, trigger: 'schedule' });
      },
    });
    await schedule.cancel(id);
    const { state, nextRunAt } = world.connector(id);
    assert.deepEqual([state, nextRunAt, world.lastRun(id)?.outcome], ['paused', null, 'cancelled']);
  });

  it('writes nothing of a run that began under other settings', async () => {
    source.before = async (question) => {
      if (question !== 'read') return;
      await world.service.workspace.journal.write({
        run: ({ tables }) => tables.connectors.setSecret(id, null),
      });
    };
    world.start();
    const run = await world.ended(id, 1);
    assert.equal(run.outcome, 'cancelled');
    assert.deepEqual(await world.mirrored(), {});
  });

  it('ends all runs when it closes, and they are due at the next start', async () => {
    source.before = () => silence;
    const schedule = world.start();
    await until('it opens', () => source.asked.includes('open'));
    await schedule.close();
    assert.equal(world.lastRun(id)?.outcome, 'cancelled');
    assert.equal(world.timers.count, 0);
    source.before = () => undefined;
    world.start();
    assert.equal((await world.ended(id, 2)).outcome, 'changed');
  });

  it('ends a run that takes too long, and stops: a smaller part of the source has to be chosen', async () => {
    source.before = (question) => (question === 'list' ? silence : undefined);
    world.start();
    await until('it lists', () => source.asked.includes('list'));
    pass(syncLimits.duration);
    const run = await world.ended(id, 1);
    assert.deepEqual([run.outcome, run.fault], ['failed', 'limit']);
    assert.match(run.message ?? '', /more than 2 hours\. Choose a smaller part/);
    const { state, nextRunAt } = world.connector(id);
    assert.deepEqual([state, nextRunAt], ['stopped', null]);
  });

  it('marks a run that a killed process left as interrupted, and repeats it', async () => {
    const { workspace } = world.service;
    await beginRun(workspace, world.connector(id), hour);
    assert.ok((world.connector(id).nextRunAt ?? 0) > world.service.clock.now());
    world.start();
    const run = await world.ended(id, 2);
    assert.equal(run.outcome, 'changed');
    assert.equal(workspace.journal.reader.connectorRuns.list(id, 2, 1)[0]?.outcome, 'interrupted');
    assert.equal(records().filter((text) => text.includes('interrupted')).length, 1);
  });

  it('goes on from the stored cursor after a restart', async () => {
    const schedule = world.start();
    await world.ended(id, 1);
    await schedule.close();
    world.start();
    source.asked.length = 0;
    pass(hour);
    assert.equal((await world.ended(id, 2)).outcome, 'unchanged');
    assert.deepEqual(source.asked, ['open', 'probe']);
  });

  it('stops a connector whose secret is refused, and says so in the log and to people', async () => {
    source.faults.open = new SourceFault('auth', 'The source refuses the password. Set another one.');
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault], ['failed', 'auth']);
    const { state, stateReason, nextRunAt } = world.connector(id);
    assert.deepEqual([state, nextRunAt], ['stopped', null]);
    assert.equal(stateReason, 'The source refuses the password. Set another one.');
    const [line] = world.log.filter(({ level }) => level === 'warn');
    assert.equal(line?.message, 'A connector has stopped');
  });

  it('stops a connector whose folder is gone', async () => {
    await world.service.workspace.journal.write({
      run: ({ tables }) => {
        for (const { number } of tables.folders.mirrored()) tables.folders.setMirror(number, null);
      },
    });
    const run = await world.sync(id);
    assert.deepEqual([run.fault, world.connector(id).state], ['not_found', 'stopped']);
    assert.deepEqual(source.asked, []);
  });

  it('takes a fault of a source that no contract knows as its own, and hides its text', async () => {
    source.faults.list = new Error('password hunter2 in a stack');
    const run = await world.sync(id);
    assert.deepEqual([run.outcome, run.fault], ['failed', 'internal']);
    assert.ok(!(run.message ?? '').includes('hunter2'));
    assert.equal(world.log.filter(({ level }) => level === 'error').length, 1);
  });

  it('leaves one audit record for every run, however it ended', async () => {
    await world.sync(id);
    await world.sync(id);
    source.faults.probe = new SourceFault('network', 'The source is gone.');
    await world.sync(id);
    const outcomes = records().map((text) => /outcome[\\":]+(changed|unchanged|failed)/.exec(text)?.[1]);
    assert.deepEqual(outcomes, ['changed', 'unchanged', 'failed']);
  });

  it('closes every source that it opened', async () => {
    await world.sync(id);
    source.faults.probe = new SourceFault('network', 'The source is gone.');
    await world.sync(id);
    await world.sync(id);
    assert.equal(source.openNow, 0);
  });

  /** Lets time pass for the schedule. */
  function pass(milliseconds: number): void {
    world.service.clock.advance(milliseconds);
    world.timers.advance(milliseconds);
  }

  function records(): string[] {
    const { audit } = world.service.workspace.journal.reader;
    return audit
      .after(0, 1000)
      .filter(({ action }) => action === 'connector.run')
      .map(({ seq }) => JSON.stringify(audit.textOf(seq)?.detail));
  }
});
