import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { Log } from '../../lib/domain/log.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { makeDeliverySlots, openWebhookSchedule } from '../../lib/webhooks/schedule-deliveries.js';
import type { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

const note = (): void => undefined;

describe('Webhooks of a workspace that cannot be read for a while', () => {
  let world: HookedWorld;
  let reports: string[];
  let unhandled: unknown[];
  const log: Log = { debug: note, info: note, warn: note, error: (_fields, message) => void reports.push(message) };

  beforeEach(async () => {
    reports = [];
    unhandled = [];
    world = await HookedWorld.open({ connectors: { log } });
    // The test runner has a listener of its own, and says nothing of those that come between two tests.
    process.on('unhandledRejection', onUnhandled);
  });
  afterEach(async () => {
    process.off('unhandledRejection', onUnhandled);
    await world.close();
  });

  it('are still there afterwards, and the log of the service says so once', async () => {
    await world.hook({ location: parseFolderLocation(''), kinds: ['security.principal_changed'] }, {
      caller: operator,
    } as Actor);
    // Its first look has ended.
    await delay(50);
    await failFor(3);
    assert.deepEqual(reports, ['The webhooks could not be read']);
    await world.test.principal('Bot', 'agent');
    await world.told(1);
    await failFor(3);
    // The answer of the receiver may not have been noted yet when the file fails. Another message says that.
    const unreadable = reports.filter((message) => message === 'The webhooks could not be read');
    assert.equal(unreadable.length, 2, 'it says so again after it could be read in between');
    assert.deepEqual(unhandled, []);
  });

  it('are found later when they could not be at the beginning', async () => {
    const { webhook } = await world.hook();
    const { timers, test } = world;
    const { workspace, clock } = test;
    await workspace.webhooks.close();
    const options = { workspace, clock, log, slots: makeDeliverySlots(), timers };
    await failFor(1, () => workspace.webhooks.start(openWebhookSchedule(options)));
    assert.deepEqual(reports, ['The webhooks could not be read']);
    await world.ada.create('team/a.md');
    world.pass(60_000);
    await world.noted(webhook.id, 1);
    assert.deepEqual(world.receiver.told(), ['document.created team/a.md']);
    assert.deepEqual(unhandled, []);
  });

  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

  /** Lets the file be unreadable until so many have asked for it in vain. */
  async function failFor(asks: number, meanwhile: () => void = note): Promise<void> {
    const { journal } = world.test.workspace;
    let asked = 0;
    Object.defineProperty(journal, 'reader', {
      configurable: true,
      get() {
        asked += 1;
        throw new Refusal('UNAVAILABLE', 'The file cannot be read.');
      },
    });
    try {
      meanwhile();
      await until(`${asks} have asked in vain`, () => asked >= asks);
    } finally {
      Reflect.deleteProperty(journal, 'reader');
    }
  }
});
