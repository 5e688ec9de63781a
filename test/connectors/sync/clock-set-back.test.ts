import assert from 'node:assert/strict';
import { hour, MirrorWorld } from './mirror-world.js';

const year = 365 * 24 * hour;

describe('a clock that is set back', () => {
  let world: MirrorWorld;
  beforeEach(async () => (world = await MirrorWorld.open()));
  afterEach(() => world.close());

  it('lets a connector sleep no longer than its longest pause', async () => {
    const { id, source } = await world.connect();
    source.put('a.md');
    world.start();
    await world.ended(id, 1);
    world.service.clock.advance(-year);
    source.put('b.md');
    world.timers.advance(hour);
    assert.equal((await world.ended(id, 2)).outcome, 'changed');
    assert.equal(world.connector(id).nextRunAt, world.service.clock.now() + hour);
  });

  it('lets a connector sleep no longer than its interval where it was ahead by less than a day', async () => {
    const { id, source } = await world.connect();
    world.service.clock.ahead = 20 * hour;
    source.put('a.md');
    world.start();
    await world.ended(id, 1);
    world.service.clock.ahead = 0;
    source.put('b.md');
    world.timers.advance(hour);
    assert.equal((await world.ended(id, 2)).outcome, 'changed');
    assert.equal(world.connector(id).nextRunAt, world.service.clock.now() + hour);
  });

  it('does not begin what is only put off', async () => {
    const { id } = await world.connect('docs', 30 * 24 * hour);
    const schedule = world.start();
    await world.ended(id, 1);
    world.service.clock.advance(-24 * hour);
    schedule.wake();
    assert.equal(world.lastRun(id)?.number, 1);
  });
});
