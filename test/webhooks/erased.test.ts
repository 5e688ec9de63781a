import assert from 'node:assert/strict';
import { eraseAt } from '../support/store/erase-at.js';
import { findTraces } from '../support/store/evidence.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

describe('An erase of a document that webhooks told', function () {
  this.timeout(60_000);

  let world: HookedWorld;

  beforeEach(async () => {
    world = await HookedWorld.open({ store: 'disk' });
  });
  afterEach(() => world.close());

  it('takes its name and id out of the answers of receivers and of the log, in the files too', async () => {
    repeat(world, 200);
    const { webhook } = await world.hook();
    const { id } = await world.ada.create('team/zebra-plan.md');
    await world.noted(webhook.id, 1);
    await world.ada.rename('team/zebra-plan.md', 'heron-plan.md');
    await world.ada.create('team/stays.md');
    const [last] = await world.noted(webhook.id, 3);
    assert.match(last?.answer ?? '', /document\.created/);
    assert.notDeepEqual(traces('zebra-plan', 'heron-plan'), []);
    // The receiver takes what is left of it silently: its name is told no more, its id once.
    world.receiver.recover();
    world.receiver.received.length = 0;
    await erase('team/heron-plan.md');
    await world.noted(webhook.id, 4);
    assert.deepEqual(world.receiver.told(), ['document.left -']);
    assert.deepEqual(
      (await world.attempts(webhook.id)).map(({ answer }) => answer),
      [null, null, null, null],
    );
    assert.deepEqual(traces('zebra-plan', 'heron-plan', id), []);
  });

  it('keeps out of an attempt that is to be repeated what it told: made again, it tells nothing of it', async () => {
    repeat(world, 500);
    const { webhook } = await world.hook();
    await world.ada.create('team/zebra-plan.md');
    await world.noted(webhook.id, 1);
    await erase('team/zebra-plan.md');
    assert.deepEqual(traces('zebra-plan'), []);
    world.receiver.recover();
    world.receiver.received.length = 0;
    await world.ada.create('team/next.md');
    world.pass(5000);
    await world.told(1);
    assert.ok(world.receiver.received.every(({ body }) => !body.includes('zebra')));
  });

  it('breaks off a message under way before it is final, keeps nothing of it, and what comes after is told', async () => {
    await world.close();
    world = await HookedWorld.open({ store: 'disk', webhooks: { timeouts: { head: 60_000, idle: 300, body: 300 } } });
    const happened: string[] = [];
    world.receiver.answer = (response) => {
      happened.push('sent');
      response.on('close', () => happened.push('broken off'));
    };
    const { webhook } = await world.hook();
    const { id } = await world.ada.create('team/zebra-plan.md');
    await until('the message is under way', () => happened.length === 1);
    world.receiver.recover();
    await erase('team/zebra-plan.md');
    happened.push('final');
    await until('it is broken off', () => happened.includes('broken off'));
    assert.deepEqual(happened, ['sent', 'broken off', 'final']);
    await world.ada.create('team/next.md');
    await until('the next is told', () => world.receiver.told().includes('document.created team/next.md'));
    assert.deepEqual(world.receiver.told().slice(1), ['document.left -', 'document.created team/next.md']);
    await world.noted(webhook.id, 2);
    assert.deepEqual(traces('zebra-plan', id), []);
  });

  const erase = async (location: string): Promise<void> => {
    const { id } = await eraseAt(world.test.workspace, location);
    await world.test.workspace.eraser.finished(id);
  };

  const traces = (...texts: readonly string[]): readonly string[] =>
    findTraces(world.test.dataFolder ?? '', [...texts], []);
});

/** What the receivers of this file say: everything that they got. */
const repeat = (world: HookedWorld, status: number): void => {
  world.receiver.answer = (response, { body }) => void response.writeHead(status).end(body);
};
